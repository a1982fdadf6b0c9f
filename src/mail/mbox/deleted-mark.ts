/** The marks of mail that a program has deleted, and not yet taken out of its file or folder. */

/** Thunderbird writes it above the mail's own fields: a sender's field of that name stands below and counts for nothing. */
const MOZILLA_STATUS = /^(?:X-(?:Account-Key|UIDL):[^\n]*\n){0,2}X-Mozilla-Status:[ \t]*([\da-f]{4})[ \t]*\r?\n/i;
const EXPUNGED = 0x0008;
const HEAD_OCTETS = 512;

/** Whether Thunderbird has deleted or moved the mail: it stays in the mbox until the folder is compacted. */
export const isExpunged = (header: Buffer): boolean => {
  const status = MOZILLA_STATUS.exec(header.toString('latin1', 0, HEAD_OCTETS))?.[1];
  return status !== undefined && (Number.parseInt(status, 16) & EXPUNGED) !== 0;
};

/** The flag T in the name of a Maildir's file; `;` and `!` stand for the colon on Windows. */
const TRASHED = /[:;!]2,[A-Za-z]*T[A-Za-z]*$/;

export const isTrashed = (fileName: string): boolean => TRASHED.test(fileName);

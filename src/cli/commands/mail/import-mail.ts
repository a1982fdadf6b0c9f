/** `postroom mail import`: imports mail of files into an agent's mailbox. */

import type { CallOperation } from '../../../app/operator-calls.ts';
import { createWorkUnderWay } from '../../../budget/work-under-way.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { freeSpace } from '../../../kernel/files/free-space.ts';
import { readMboxMessage } from '../../../mail/mbox/mbox-message.ts';
import { MAX_IMPORTED_AT_ONCE, mailTransferContract } from '../../../resources/mail-transfer/contract.ts';
import { type Answer, command, flag, repeated, required, withOperations } from '../../command.ts';
import { EXIT } from '../../failure.ts';
import { printable, table } from '../../table.ts';
import { FileWindow } from './file-window.ts';
import {
  createMailFinder,
  type FoundMail,
  type FoundMails,
  type MailFile,
  type RefusedMail,
  unreadable,
} from './find-mails.ts';
import { createProgress } from './progress.ts';
import { workAbout } from './work-about.ts';

/** Octets of one transaction; a larger mail gets its own. */
const OCTETS_AT_ONCE = 256 * 1024;
/** Refusals listed; the count includes all. */
const MAX_LISTED = 1_000;

const HINTS: Readonly<Record<string, string>> = {
  not_a_mail: 'not_a_mail: it has no header field that mail has',
  header_too_long: 'header_too_long: no mail has so many header fields',
  unreadable: 'unreadable: it breaks its reader',
};

interface Tally {
  imported: number;
  duplicates: number;
  refused: RefusedMail[];
  /** The reason for an early end; null: none. */
  stopped: string | null;
}

/** Slices of mail for one transaction each. */
function* toBatches(mails: readonly FoundMail[]): Generator<FoundMail[]> {
  let batch: FoundMail[] = [];
  let octets = 0;
  for (const mail of mails) {
    const size = mail.end - mail.start;
    if (batch.length === MAX_IMPORTED_AT_ONCE || (batch.length > 0 && octets + size > OCTETS_AT_ONCE)) {
      yield batch;
      batch = [];
      octets = 0;
    }
    batch.push(mail);
    octets += size;
  }
  if (batch.length > 0) yield batch;
}

/** Keeps the last mail's file open: mails close in time are mostly in one file. */
const createReader = () => {
  let open: { file: MailFile; source: FileWindow } | null = null;
  const close = (): void => {
    open?.source.close();
    open = null;
  };
  return {
    close,
    read: (mail: FoundMail): Uint8Array => {
      const { file, start, end } = mail;
      if (open?.file !== file) {
        close();
        open = { file, source: new FileWindow(file.path, file.isNamed) };
      }
      const octets = open.source.readAlone(start, end - start);
      if (octets.length < end - start) throw new Error('it has become shorter');
      return mail.isInMbox ? readMboxMessage(octets, mail) : octets;
    },
  };
};

interface ImportInput {
  call: CallOperation;
  agent: string;
  unread: boolean;
  mails: readonly FoundMail[];
  tally: Tally;
  tell: (done: number, by: number) => void;
  /** Why to end; null: go on. */
  findStop: () => Promise<string | null>;
}

const importAll = async ({ call, agent, unread, mails, tally, tell, findStop }: ImportInput): Promise<void> => {
  const reader = createReader();
  let done = 0;
  const refuse = ({ file, number, start }: FoundMail, reason: string) =>
    tally.refused.push({ file: file.path, number, offset: start, reason });
  try {
    for (const batch of toBatches(mails)) {
      tally.stopped = await findStop();
      if (tally.stopped !== null) return;
      const read = batch.flatMap((mail) => {
        try {
          return [{ mail, raw: reader.read(mail) }];
        } catch (error) {
          refuse(mail, unreadable(error));
          return [];
        }
      });
      done += batch.length;
      tell(done, batch.length);
      if (read.length === 0) continue;
      const given = read.map(({ mail: { at }, raw }) => ({ raw, at }));
      const { results } = await call(mailTransferContract.import, { agent, mails: given, unread });
      for (const [index, result] of results.entries()) {
        const mail = read[index]?.mail;
        if (result === 'imported') tally.imported += 1;
        else if (result === 'duplicate') tally.duplicates += 1;
        else if (mail) refuse(mail, HINTS[result] ?? result);
      }
    }
  } finally {
    reader.close();
  }
};

/** At Ctrl-C, ends the import after the current transaction. */
const onSignal = (): { isStopped(): boolean; forget(): void } => {
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return { isStopped: () => stopped, forget: () => process.off('SIGINT', stop).off('SIGTERM', stop) };
};

const formatRefused = (refused: readonly RefusedMail[]): string[] => {
  if (refused.length === 0) return [];
  const listed = refused.slice(0, MAX_LISTED);
  const more = refused.length - listed.length;
  return [
    table(['file', ['MAIL', 'number'], 'offset', 'reason'], listed, ''),
    ...(more > 0 ? [`And ${more} more.`] : []),
  ];
};

const toAnswer = (
  agent: string,
  { imported, duplicates, refused, stopped }: Tally,
  { ignored, deleted }: Pick<FoundMails, 'ignored' | 'deleted'>,
): Answer => {
  const line = `${imported} imported, ${duplicates} skipped as duplicates, ${refused.length} refused.`;
  const passed = [
    ...(ignored > 0 ? [`Passed over, files without mail: ${ignored}.`] : []),
    ...(deleted > 0 ? [`Passed over, mails marked as deleted: ${deleted}.`] : []),
  ];
  const ended = stopped === null ? [] : [`${stopped} Run it again to go on: what is imported is skipped.`];
  return {
    document: {
      agent,
      imported,
      duplicates,
      refused: refused.length,
      ignored_files: ignored,
      deleted,
      complete: stopped === null,
      stopped,
      refusals: refused.slice(0, MAX_LISTED).map((each) => ({ ...each, file: printable(each.file) })),
    },
    text: () => [...formatRefused(refused), ...passed, ...ended, line].join('\n'),
    ...((refused.length > 0 || stopped !== null) && { exitCode: EXIT.refused }),
  };
};

export const importMail = command({
  name: 'mail import',
  summary:
    'files mail of other programs into the mailbox of an agent, while the daemon serves: no event, no webhook, no rule ' +
    'and no quota. What the mailbox has already is skipped, so that an import that was ended is run again',
  namesFiles: true,
  operands: {
    agent: required('AGENT', 'handle, address or id'),
    files: repeated('FILE|FOLDER', 'an mbox, a mail (.eml), or a folder of them, such as a Maildir'),
  },
  options: { unread: flag('received mail is unread; else it is read') },
  notes: [
    'Each mail keeps its octets and its time: of its topmost Received field, its From_ line, or its Date. None of it is',
    'verified: results of checks in the file count for nothing, and a guarded agent answers it by way of a person.',
    '',
    'Examples:',
    '  postroom mail import sales /tmp/Takeout/Mail/Inbox.mbox',
    '  postroom mail import sales old.eml ~/Maildir --unread',
  ].join('\n'),
  run: async ({ agent, files, unread }, context) =>
    withOperations(context, async (call, { config }) => {
      // Checked before the files are read, so that a wrong name fails at once.
      const { agent: handle } = await call(mailTransferContract.import, { agent, mails: [] });
      const found = createMailFinder(config.smtp.max_message_bytes)(files);
      const { mails, refused } = found;
      const tally: Tally = { imported: 0, duplicates: 0, refused, stopped: null };
      const signal = onSignal();
      const progress = createProgress(context.json);
      const findStop = async (): Promise<string | null> => {
        if (signal.isStopped()) return 'It was ended by a signal.';
        const { free } = await freeSpace(config.data_dir);
        const least = config.smtp.min_free_bytes;
        return free < least ? `The disk has less than ${least} octets free ([smtp] min_free_bytes).` : null;
      };
      let isWhole = false;
      try {
        const about = { kind: 'import' as const, ...(await workAbout(call, handle)), total: mails.length };
        await createWorkUnderWay(systemClock, config.data_dir).run(about, async (advance) => {
          const tell = (done: number, by: number): void => {
            progress.tell(() => `${done} of ${mails.length} mails`);
            advance(by);
          };
          await importAll({ call, agent: handle, unread, mails, tally, tell, findStop });
        });
        isWhole = tally.stopped === null;
      } finally {
        progress.end();
        signal.forget();
        const { imported, duplicates } = tally;
        const counts = { imported, duplicates, refused: tally.refused.length, complete: isWhole };
        await call(mailTransferContract.recordImport, { agent: handle, ...counts });
      }
      return toAnswer(handle, tally, found);
    }),
});

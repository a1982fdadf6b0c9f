/** Derives the subject and the references of replies and forwards. */

/**
 * Reply prefixes that mail programs localise: in German, Nordic, Dutch, Portuguese, Italian, Polish, Turkish, Hungarian,
 * Greek, Indonesian and Chinese. The Italian forward, `I:`, is too short to tell.
 */
const REPLY = 're|aw|sv|vs|antw|antwort|res|rif|r|odp|ynt|vá|απ|bls|回复|答复|回覆';
const FORWARD = 'fwd?|wg|vb|vl|rv|tr|enc|doorst|pd|[iİ]lt|továbbítás|πρθ|trs|转发|轉寄';
const COUNT = String.raw`(?:\s?[[(]\d{1,3}[\])])?`;

const REPLY_MARK = new RegExp(`^(?:${REPLY})${COUNT}\\s?[:：]\\s*`, 'iu');
const FORWARD_MARK = new RegExp(`^(?:${FORWARD})${COUNT}\\s?[:：]\\s*`, 'iu');
const LIST_TAG = /^\[[^[\]]{1,64}\]\s*/u;
const FORWARD_TAIL = /\s*\(fwd\)$/iu;

const MAX_SUBJECT = 998;
/** A longer References field is cut in its middle: threading uses its first and last identifiers. */
const KEPT_REFERENCES = 20;

/** One line of at most 998 characters (RFC 5322 section 2.1.1). */
export const cleanSubject = (subject: string): string => subject.slice(0, MAX_SUBJECT).replace(/\s+/gu, ' ').trim();

const stripAll = (subject: string, ...marks: RegExp[]): string => {
  let rest = subject;
  for (;;) {
    const mark = marks.find((candidate) => candidate.test(rest));
    const next = mark ? rest.replace(mark, '') : rest;
    if (next === rest || next === '') return next === '' && mark === LIST_TAG ? rest : next;
    rest = next;
  }
};

/** Characters by which subjects are told apart: an index of PostgreSQL takes 2 704 octets of a row. */
const MAX_BASE = 250;

/**
 * Reduces a subject to what replies, forwards and list copies share: its beginning without prefixes and list tags, in
 * lower case, blanks folded. For comparison only.
 */
export const baseSubject = (subject: string): string =>
  stripAll(cleanSubject(subject).replace(FORWARD_TAIL, ''), REPLY_MARK, FORWARD_MARK, LIST_TAG)
    .toLowerCase()
    .slice(0, MAX_BASE)
    .toWellFormed();

/** Whether a subject has a reply prefix, also after a list's tag. A forward prefix does not count. */
export const isReplySubject = (subject: string): boolean => REPLY_MARK.test(stripAll(cleanSubject(subject), LIST_TAG));

/** Whether a subject has a forward prefix, also after a list's tag, or `(fwd)` at its end. A reply to such a mail is none. */
export const isForwardSubject = (subject: string): boolean => {
  const bare = stripAll(cleanSubject(subject), LIST_TAG);
  return FORWARD_MARK.test(bare) || (FORWARD_TAIL.test(bare) && !REPLY_MARK.test(bare));
};

/** Prefixes `Re: ` once, replacing any reply prefix. */
export const replySubject = (subject: string): string => `Re: ${stripAll(cleanSubject(subject), REPLY_MARK)}`.trim();

/** Prefixes `Fwd: ` once, replacing any forward prefix. */
export const forwardSubject = (subject: string): string =>
  `Fwd: ${stripAll(cleanSubject(subject), FORWARD_MARK)}`.trim();

/**
 * Builds the References of a reply: the parent's, then the parent itself; the first and the last 20 of them.
 * @see RFC 5322 section 3.6.4
 */
export const replyReferences = (parentMessageId: string | null, parentReferences: readonly string[]): string[] => {
  const all = [...new Set([...parentReferences, ...(parentMessageId === null ? [] : [parentMessageId])])];
  // The parent comes last even where its own References contain it.
  const ordered = parentMessageId === null ? all : [...all.filter((id) => id !== parentMessageId), parentMessageId];
  if (ordered.length <= 2 * KEPT_REFERENCES) return ordered;
  return [...ordered.slice(0, KEPT_REFERENCES), ...ordered.slice(-KEPT_REFERENCES)];
};

/**
 * The index of mail: one tsvector a text, of lexemes without places. A field's words stand there twice: plain, and behind the
 * field's mark. Phrases are verified by the text (store/search/verify.ts). The mailbox is a lexeme, and so are the ranges of
 * numbers that the text is in: what a search finds in the newest costs no visit to older rows. A change of what stands
 * here is a migration (own-schema.ts).
 */

import { CompiledQuery } from 'kysely';
import type { MailboxId } from '../../../kernel/ids.ts';
import type { NumberedText } from '../../mail/message-texts.ts';
import type { SearchQuery, SearchTerm } from '../../search/full-text-search.ts';
import { mailboxToken } from '../../search/mailbox-token.ts';
import { stemOf, toIndexedWords, toWords } from '../../search/match-words.ts';
import type { Db } from '../../store.ts';

/** No word begins with a mark, so that no beginning of a word finds what is marked. */
const FIELDS = { subject: '#', sender: '@', recipients: '>' } as const;
const MAILBOX = '=';
const STEM = '~';
const SUBJECT_STEM = '^';
/** Ranges of numbers, by their marks: a text is in one of each. */
const RANGES = { '-': 2 ** 14, '+': 2 ** 18 } as const;
/** Characters of a lexeme, in which a character has up to four octets: PostgreSQL takes 2 046. */
const LONGEST = 500;
/** Octets of the lexemes of a text: a tsvector has up to 1 MiB. The words beyond are not found. */
const MOST_OCTETS = 700_000;

const splitWords = (words: string): string[] => (words === '' ? [] : words.split(' '));
const cut = (word: string): string => word.slice(0, LONGEST);

const rangeOf = (mark: keyof typeof RANGES, seq: number): number => Math.floor(seq / RANGES[mark]);

/** The fields' words before those of the body. */
const toMessageWords = ({ seq, mailbox, subject, sender, recipients, attachments, body }: NumberedText): string[] => {
  const lexemes = new Set([MAILBOX + mailbox, `-${rangeOf('-', seq)}`, `+${rangeOf('+', seq)}`]);
  for (const [field, text] of Object.entries({ subject, sender, recipients })) {
    const mark = FIELDS[field as keyof typeof FIELDS];
    const { words, stems } = toIndexedWords(text);
    for (const word of splitWords(words)) lexemes.add(cut(word)).add(cut(mark + word));
    if (field === 'subject')
      for (const stem of splitWords(stems)) lexemes.add(cut(STEM + stem)).add(cut(SUBJECT_STEM + stem));
  }
  for (const { words, stems } of [attachments, body].map(toIndexedWords)) {
    for (const word of splitWords(words)) lexemes.add(cut(word));
    for (const stem of splitWords(stems)) lexemes.add(cut(STEM + stem));
  }
  let octets = 0;
  return [...lexemes].filter((lexeme) => {
    octets += Buffer.byteLength(lexeme) + 8;
    return octets <= MOST_OCTETS;
  });
};

/**
 * Words of a text that is removed meanwhile would stay: it is locked, and where its removal has begun, the whole is refused.
 * Lexemes have no blanks: as one value, they need no quotes.
 */
const INSERT = `insert into message_words (seq, words)
  select t.seq, array_to_tsvector(string_to_array(given.words, ' ')) from unnest($1::bigint[], $2::text[]) as given (seq, words)
    join message_texts t on t.seq = given.seq for key share of t nowait
  on conflict do nothing`;
/** Texts are indexed in the order of their numbers: all up to the highest one are. */
const FIND_LAST = 'select coalesce(max(seq), 0) as last from message_words';

/** @throws 55P03 where a text is being removed */
export const insertMessageWords = async (db: Db, texts: readonly NumberedText[]): Promise<void> => {
  const words = texts.map((text) => toMessageWords(text).join(' '));
  await db.executeQuery(CompiledQuery.raw(INSERT, [texts.map(({ seq }) => seq), words]));
};

export const findLastIndexed = async (db: Db): Promise<number> =>
  (await db.executeQuery<{ last: number }>(CompiledQuery.raw(FIND_LAST))).rows[0]?.last ?? 0;

export const removeMessageWords = async (db: Db, seq: number): Promise<void> => {
  await db.executeQuery(CompiledQuery.raw('delete from message_words where seq = $1', [seq]));
};

/** Whether the index answers the term as it is: it knows no places of words, and their first characters alone. */
export const isExact = (term: SearchTerm): boolean => {
  const [word = '', ...more] = toWords(term);
  return more.length === 0 && word.length < LONGEST - 1;
};

/** A lexeme has letters, digits and a mark alone. */
const quoted = (lexeme: string): string => `'${cut(lexeme)}'`;

const termExpression = (term: SearchTerm): string => {
  const field = term.column === null ? '' : FIELDS[term.column];
  const words = toWords(term);
  const stem = stemOf(term);
  if (stem !== null) {
    const marked = (term.column === null ? STEM : SUBJECT_STEM) + stem;
    return `(${[...words.map((word) => field + word), field + stem, marked].map(quoted).join(' | ')})`;
  }
  const last = words.length - 1;
  const parts = words.map((word, at) => `${quoted(field + word)}${term.prefix && at === last ? ':*' : ''}`);
  return `(${parts.join(' & ')})`;
};

const anyOf = (terms: readonly SearchTerm[]): string => `(${terms.map(termExpression).join(' | ')})`;

/** Rows from a number on, and the lexemes that all of them have one of. */
export interface Window {
  readonly from: number;
  readonly lexemes: readonly string[];
}

/** Those to look in, one after the other, for the newest matches below a number. */
export const windowsBelow = (below: number): Window[] => {
  const newest = (mark: keyof typeof RANGES): Window => {
    const last = rangeOf(mark, below - 1);
    return { from: Math.max(last - 1, 0) * RANGES[mark], lexemes: [`${mark}${last}`, `${mark}${last - 1}`] };
  };
  return [newest('-'), newest('+'), { from: 0, lexemes: [] }];
};

/** As a tsquery. What it finds beyond the query is left to the verifier. */
export const toTsquery = (
  mailboxIds: readonly MailboxId[],
  { all, none }: SearchQuery,
  { lexemes }: Window,
): string => {
  const either = (some: readonly string[]) => (some.length > 0 ? [`(${some.map(quoted).join(' | ')})`] : []);
  const mailboxes = either(mailboxIds.map((id) => MAILBOX + mailboxToken(id)));
  const excluded = none.filter(isExact);
  const without = excluded.length > 0 ? [`!${anyOf(excluded)}`] : [];
  return [...mailboxes, ...either(lexemes), ...all.map(anyOf), ...without].join(' & ');
};

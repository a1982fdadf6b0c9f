/**
 * The index of mail: one tsvector a text, of lexemes without places. A field's words stand there twice: plain, and under the
 * field's letter; stems under `z`. Phrases are verified by the text (store/search/verify.ts). The mailbox is a lexeme, and so
 * are the ranges of numbers that the text is in: what a search finds in the newest costs no visit to older rows.
 */

import { CompiledQuery } from 'kysely';
import type { MailboxId } from '../../../kernel/ids.ts';
import type { NumberedText } from '../../mail/message-texts.ts';
import type { SearchQuery, SearchTerm } from '../../search/full-text-search.ts';
import { mailboxToken } from '../../search/mailbox-token.ts';
import { stemOf, toIndexedWords, toWords } from '../../search/match-words.ts';
import type { Db } from '../../store.ts';
import { MARK_FORM, WORDS_FORM } from '../own-schema.ts';

const FIELDS = { subject: 's', sender: 'f', recipients: 't' } as const;
/** Characters of a lexeme, in which a character has up to four octets: PostgreSQL takes 2 046. */
const LONGEST = 500;
/** Octets of the lexemes of a text: a tsvector has up to 1 MiB. The words beyond are not found. */
const MOST_OCTETS = 700_000;

const splitWords = (words: string): string[] => (words === '' ? [] : words.split(' '));
const cut = (word: string): string => word.slice(0, LONGEST);

/** Ranges of numbers, by their letters: a text is in one of each. */
const RANGES = { b: 2 ** 14, c: 2 ** 18 } as const;
const rangeOf = (letter: keyof typeof RANGES, seq: number): number => Math.floor(seq / RANGES[letter]);

/** The fields' words before those of the body. */
const toMessageWords = ({ seq, mailbox, subject, sender, recipients, attachments, body }: NumberedText): string[] => {
  const lexemes = new Set([`m:${mailbox}`, `b:${rangeOf('b', seq)}`, `c:${rangeOf('c', seq)}`]);
  for (const [field, text] of Object.entries({ subject, sender, recipients })) {
    const letter = FIELDS[field as keyof typeof FIELDS];
    const { words, stems } = toIndexedWords(text);
    for (const word of splitWords(words)) lexemes.add(cut(word)).add(cut(`${letter}:${word}`));
    if (field === 'subject') for (const stem of splitWords(stems)) lexemes.add(cut(`z:${stem}`)).add(cut(`zs:${stem}`));
  }
  for (const { words, stems } of [attachments, body].map(toIndexedWords)) {
    for (const word of splitWords(words)) lexemes.add(cut(word));
    for (const stem of splitWords(stems)) lexemes.add(cut(`z:${stem}`));
  }
  let octets = 0;
  return [...lexemes].filter((lexeme) => {
    octets += Buffer.byteLength(lexeme) + 8;
    return octets <= MOST_OCTETS;
  });
};

/** A text that is being removed is waited for: its words would stay. Lexemes have no blanks: as one value, they need no quotes. */
const INSERT = `insert into message_words (seq, words)
  select t.seq, array_to_tsvector(string_to_array(given.words, ' ')) from unnest($1::bigint[], $2::text[]) as given (seq, words)
    join message_texts t on t.seq = given.seq order by t.seq for key share of t
  on conflict do nothing`;
/** Texts are indexed in the order of their numbers: all up to the highest one are. */
const FIND_LAST = 'select coalesce(max(seq), 0) as last from message_words';

export const insertMessageWords = async (db: Db, texts: readonly NumberedText[]): Promise<void> => {
  const words = texts.map((text) => toMessageWords(text).join(' '));
  await db.executeQuery(CompiledQuery.raw(INSERT, [texts.map(({ seq }) => seq), words]));
};

/** Empties an index of another form. */
export const requireForm = async (db: Db): Promise<void> => {
  const find = `select obj_description('message_words'::regclass, 'pg_class') as form`;
  const { rows } = await db.executeQuery<{ form: string | null }>(CompiledQuery.raw(find));
  if (rows[0]?.form === WORDS_FORM) return;
  await db.executeQuery(CompiledQuery.raw(`truncate message_words; ${MARK_FORM}`));
};

export const findLastIndexed = async (db: Db): Promise<number> =>
  (await db.executeQuery<{ last: number }>(CompiledQuery.raw(FIND_LAST))).rows[0]?.last ?? 0;

export const removeMessageWords = async (db: Db, seq: number): Promise<void> => {
  await db.executeQuery(CompiledQuery.raw('delete from message_words where seq = $1', [seq]));
};

/** Whether the index answers the term as it is: it knows no places of words, and their first characters alone. */
export const isExact = (term: SearchTerm): boolean => {
  const [word = '', ...more] = toWords(term);
  return more.length === 0 && word.length < LONGEST - 2;
};

/** A lexeme has letters, digits and a colon alone. */
const quoted = (lexeme: string): string => `'${cut(lexeme)}'`;

const termExpression = (term: SearchTerm): string => {
  const field = term.column === null ? '' : `${FIELDS[term.column]}:`;
  const words = toWords(term);
  const stem = stemOf(term);
  if (stem !== null) {
    const stems = term.column === null ? `z:${stem}` : `zs:${stem}`;
    return `(${[...words.map((word) => field + word), field + stem, stems].map(quoted).join(' | ')})`;
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
  const newest = (letter: keyof typeof RANGES): Window => {
    const last = rangeOf(letter, below - 1);
    return { from: Math.max(last - 1, 0) * RANGES[letter], lexemes: [`${letter}:${last}`, `${letter}:${last - 1}`] };
  };
  return [newest('b'), newest('c'), { from: 0, lexemes: [] }];
};

/** As a tsquery. What it finds beyond the query is left to the verifier. */
export const toTsquery = (
  mailboxIds: readonly MailboxId[],
  { all, none }: SearchQuery,
  { lexemes }: Window,
): string => {
  const either = (some: readonly string[]) => (some.length > 0 ? [`(${some.map(quoted).join(' | ')})`] : []);
  const mailboxes = either(mailboxIds.map((id) => `m:${mailboxToken(id)}`));
  const excluded = none.filter(isExact);
  const without = excluded.length > 0 ? [`!${anyOf(excluded)}`] : [];
  return [...mailboxes, ...either(lexemes), ...all.map(anyOf), ...without].join(' & ');
};

/**
 * The index of mail: one tsvector a text, of lexemes without places. A field's words stand there twice: plain, and under the
 * field's letter; stems under `z`. Phrases are verified by the text (store/search/verify.ts).
 */

import { CompiledQuery } from 'kysely';
import type { MailboxId } from '../../../kernel/ids.ts';
import type { IndexedText, SearchQuery, SearchTerm } from '../../search/full-text-search.ts';
import { mailboxToken } from '../../search/mailbox-token.ts';
import { stemOf, toIndexedWords, toWords } from '../../search/match-words.ts';
import type { Db } from '../../store.ts';

const FIELDS = { subject: 's', sender: 'f', recipients: 't' } as const;
/** Characters of a lexeme, in which a character has up to four octets: PostgreSQL takes 2 046. */
const LONGEST = 500;
/** Octets of the lexemes of a text: a tsvector has up to 1 MiB. The words beyond are not found. */
const MOST_OCTETS = 700_000;

const splitWords = (words: string): string[] => (words === '' ? [] : words.split(' '));
const cut = (word: string): string => word.slice(0, LONGEST);

/** The fields' words before those of the body. */
export const toMessageWords = ({ mailbox, subject, sender, recipients, attachments, body }: IndexedText): string[] => {
  const lexemes = new Set([`m:${mailbox}`]);
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

/** Inserts a row for each text. Lexemes have no blanks: as one value, they need no quotes. */
export const insertMessageWords = (
  texts: readonly { readonly seq: number; readonly words: readonly string[] }[],
): CompiledQuery => {
  const rows = texts.map((_, at) => `($${2 * at + 1}, array_to_tsvector(string_to_array($${2 * at + 2}, ' ')))`);
  const values = texts.flatMap(({ seq, words }) => [seq, words.join(' ')]);
  return CompiledQuery.raw(`insert into message_words (seq, words) values ${rows.join(', ')}`, values);
};

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

/** As a tsquery. What it finds beyond the query is left to the verifier. */
export const toTsquery = (mailboxIds: readonly MailboxId[], { all, none }: SearchQuery): string => {
  const mailboxes = mailboxIds.map((id) => quoted(`m:${mailboxToken(id)}`)).join(' | ');
  const excluded = none.filter(isExact);
  return [`(${mailboxes})`, ...all.map(anyOf), ...(excluded.length > 0 ? [`!${anyOf(excluded)}`] : [])].join(' & ');
};

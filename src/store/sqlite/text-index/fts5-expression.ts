/** A search as FTS5 takes it, as far as its index answers it without walking all that matches. */

import type { MailboxId } from '../../../kernel/ids.ts';
import type { SearchQuery, SearchTerm } from '../../search/full-text-search.ts';
import { mailboxToken } from '../../search/mailbox-token.ts';
import { markStem, stemOf, toWords } from '../../search/match-words.ts';

/**
 * Letters of the beginnings that the index keeps lists of (FTS5 section 4.2, `prefix`): index-file.ts. Of any other
 * beginning FTS5 merges the lists of every word that has it, before the first row comes.
 */
const KEPT_LETTERS = 3;
/** A beginning of as many letters is one of few words, whose lists are merged quickly. */
const LONG_LETTERS = 5;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Whether FTS5 answers the term as it is; else by the beginning that is kept. */
export const isExact = (term: SearchTerm): boolean => {
  const last = term.prefix ? toWords(term).at(-1) : undefined;
  const letters = [...(last ?? '')].length;
  return letters <= KEPT_LETTERS || letters >= LONG_LETTERS;
};

/** Cuts its last word to a beginning that is kept: finds what the term does, and more. */
const toKeptText = (term: SearchTerm): string => {
  if (isExact(term)) return term.text;
  const words = toWords(term);
  const last = words.pop() ?? '';
  return [...words, [...last].slice(0, KEPT_LETTERS).join('')].join(' ');
};

/** A word that is its own stem is in the index once. */
const wordsExpression = (term: SearchTerm): string => {
  const stem = stemOf(term);
  if (stem === null) return `${quoted(toKeptText(term))}${term.prefix ? ' *' : ''}`;
  return `(${[...new Set([term.text, stem])].map(quoted).join(' OR ')} OR ${quoted(markStem(stem))})`;
};

const termExpression = (term: SearchTerm): string =>
  `${term.column ?? '{subject sender recipients attachments body}'} : ${wordsExpression(term)}`;

const anyOf = (terms: readonly SearchTerm[]): string => `(${terms.map(termExpression).join(' OR ')})`;

/** What it finds beyond the query is left to the verifier (search/verify.ts). */
export const toMatchExpression = (mailboxId: MailboxId, { all, none }: SearchQuery): string => {
  const wanted = [`mailbox : ${mailboxToken(mailboxId)}`, ...all.map(anyOf)].join(' AND ');
  const excluded = none.filter(isExact);
  return excluded.length > 0 ? `(${wanted}) NOT ${anyOf(excluded)}` : wanted;
};

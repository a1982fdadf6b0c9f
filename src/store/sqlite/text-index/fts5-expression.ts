/** A search as FTS5 takes it, as far as its index answers it without walking all that matches. */

import type { MailboxId } from '../../../kernel/ids.ts';
import type { SearchQuery, SearchTerm } from '../../search/full-text-search.ts';
import { mailboxToken } from '../../search/mailbox-token.ts';
import { stemOf, toWords } from '../../search/match-words.ts';

/** Whether the index answers the term as it is: it knows no places of words. */
export const isExact = (term: SearchTerm): boolean => toWords(term).length <= 1;

/** A word has letters and digits alone (search/match-words.ts). */
const quoted = (word: string): string => `"${word}"`;

const termExpression = (term: SearchTerm): string => {
  const column = term.column ?? '{subject sender recipients attachments body}';
  const words = toWords(term);
  const stem = stemOf(term);
  if (stem !== null) {
    // A word that is its own stem is in the index once.
    const either = `${column} : (${[...new Set([...words, stem])].map(quoted).join(' OR ')})`;
    return `(${either} OR ${term.column === null ? '{subject_stems stems}' : 'subject_stems'} : ${quoted(stem)})`;
  }
  const last = words.pop() ?? '';
  const parts = [...words.map(quoted), term.prefix ? `${quoted(last)} *` : quoted(last)];
  return `${column} : (${parts.join(' AND ')})`;
};

const anyOf = (terms: readonly SearchTerm[]): string => `(${terms.map(termExpression).join(' OR ')})`;

/** What it finds beyond the query is left to the verifier (search/verify.ts). */
export const toMatchExpression = (mailboxIds: readonly MailboxId[], { all, none }: SearchQuery): string => {
  const wanted = [`mailbox : (${mailboxIds.map(mailboxToken).join(' OR ')})`, ...all.map(anyOf)].join(' AND ');
  const excluded = none.filter(isExact);
  return excluded.length > 0 ? `(${wanted}) NOT ${anyOf(excluded)}` : wanted;
};

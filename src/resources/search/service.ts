/** The search resource. Searches queue by workspace, and each ends after its time. */

import { setTimeout as delay } from 'node:timers/promises';
import { findContactsOf } from '../../access/contacts-of.ts';
import { QueueRefused } from '../../budget/fair-queue.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { SearchHit, SearchPage, SearchPart } from '../../store/search/full-text-search.ts';
import { toScore } from '../../store/search/score.ts';
import type { Needs } from '../needs.ts';
import { createRankByMeaning, MOST_COMPARED, type ToVectors } from './by-meaning.ts';
import type { searchContract } from './contract.ts';
import { parseSearch } from './query.ts';
import { type SearchMailboxes, sidesOf, viewHit } from './view.ts';

export interface SearchNeeds extends Needs<'store' | 'clock' | 'searches' | 'searchSeconds'> {
  toVectors: ToVectors;
}

/** No message has the seq 0: it stands for null. */
const NONE = 0;
const FROM_THE_NEWEST: SearchPart = { below: null, downTo: null, after: null };

const parseSearchCursor = (cursor: string): SearchPart => {
  const [rank = 0, seq, below, downTo] = decodeCursor(cursor, 'number', 'integer', 'integer', 'integer').map(Number);
  return { below: below || null, downTo: downTo || null, after: seq ? { rank, seq } : null };
};

const formatSearchCursor = ({ below, downTo, after }: SearchPart): string =>
  encodeCursor(after?.rank ?? 0, after?.seq ?? NONE, below ?? NONE, downTo ?? NONE);

/** Where the next page begins: after the last hit, then with the rows left unranked. */
const nextPart = ({ below }: SearchPart, downTo: number | null, last: SearchHit | undefined): SearchPart | null => {
  if (last) return { below, downTo, after: { rank: last.rank, seq: last.seq } };
  return downTo === null ? null : { below: downTo, downTo: null, after: null };
};

const RETRY_AFTER = { 'retry-after': '5' };

/**
 * Refuses with `overloaded` after `ms`, where one step of the ranking takes longer; the slot stays taken until it
 * ends.
 */
const answerWithin = async (page: Promise<SearchPage>, ms: Millis): Promise<SearchPage> => {
  const late = new AbortController();
  const tooLong = delay(ms, null, { signal: late.signal, ref: false }).catch(() => null);
  const answer = await Promise.race([page, tooLong]).finally(() => late.abort());
  if (answer) return answer;
  const hint = 'The search took too long. Ask for fewer or rarer words.';
  throw new ApiError('overloaded', { hint, headers: RETRY_AFTER });
};

export const createSearchMailboxes = ({
  store,
  clock,
  searches,
  searchSeconds,
  toVectors,
}: SearchNeeds): SearchMailboxes => {
  const timeMs = searchSeconds * SECOND;
  const rankByMeaning = createRankByMeaning(toVectors);
  return async (caller, mailboxIds, { q, limit, cursor }) => {
    const part = cursor === undefined ? FROM_THE_NEWEST : parseSearchCursor(cursor);
    const parsed = parseSearch(q);
    // Punctuation alone matches nothing.
    if (parsed === null) return { hits: [], next_cursor: null, partial: false };
    const { like, ...query } = parsed;
    const most = like === null ? limit : Math.max(limit, MOST_COMPARED);
    // With filters alone, all matches rank alike.
    const hasTerms = query.all.length + query.none.length > 0;
    // Rows ranked before are ranked again, with some time to spare.
    const bounds = { limit: most + 1, timeMs: part.after === null ? timeMs : 2 * timeMs };
    const begun = Promise.withResolvers<Promise<SearchPage>>();
    searches
      .run(toQuotaSubject(caller), () => {
        const page = store.search(mailboxIds, query, part, bounds);
        begun.resolve(page);
        return page.catch(() => undefined);
      })
      .catch(begun.reject);
    const page = await begun.promise
      .then((started) => answerWithin(started, 2 * bounds.timeMs))
      .catch((error: unknown) => {
        throw error instanceof QueueRefused ? tooMany(error) : error;
      });
    const hits = page.hits.slice(0, most);
    const downTo = page.rankedDownTo ?? part.downTo;
    const next = nextPart(part, downTo, page.hits.length > most ? hits.at(-1) : undefined);
    const ranked =
      like === null
        ? hits.map((hit) => ({ hit, score: hasTerms ? toScore(hit.rank, clock.now()) : 0 }))
        : (await rankByMeaning(like, hits)).slice(0, limit);
    const sides = ranked.map(({ hit, score }) => ({ hit, score, ...sidesOf(hit) }));
    const contactOf = await findContactsOf(store.read, caller, sides);
    return {
      hits: sides.map(({ hit, score, ...of }) => ({ ...viewHit(hit, of, score), ...contactOf(of) })),
      next_cursor: next && formatSearchCursor(next),
      partial: downTo !== null || (like !== null && next !== null),
    };
  };
};

const NOTHING_FOUND =
  'No mail has all of this. Words are matched whole, English endings aside: try fewer of them, `inv*`, OR, or the language of the mail. Of attachments the names alone are searched.';

export const createSearch = (needs: SearchNeeds): Handlers<typeof searchContract> => {
  const searchMailboxes = createSearchMailboxes(needs);
  return {
    search: async (caller, input) => {
      const page = await searchMailboxes(caller, [mailboxOf(caller)], input);
      const isNothing = page.hits.length === 0 && page.next_cursor === null && input.cursor === undefined;
      return { ...page, hint: isNothing ? NOTHING_FOUND : null };
    },
  };
};

const tooMany = (cause: QueueRefused): ApiError => {
  const isOwn = cause.limit !== 'all';
  const hint = `Too many searches ${isOwn ? 'of this workspace ' : ''}wait already. Search again in a moment.`;
  return new ApiError('overloaded', { hint, headers: RETRY_AFTER, cause });
};

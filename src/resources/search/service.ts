/** The search resource. */

import { formatNamed, type NamedAddress } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { type SearchHit, type SearchTerm, searchMessages } from '../../store/sqlite/search.ts';
import type { Store } from '../../store/store.ts';
import type { searchContract } from './contract.ts';
import { excerptOf } from './excerpt.ts';
import { parseSearch } from './query.ts';

const viewHit = (hit: SearchHit, terms: readonly SearchTerm[]) => ({
  message_id: hit.id,
  thread_id: hit.threadId,
  direction: hit.direction,
  from: formatNamed({ name: hit.fromName, address: hit.fromAddress as NamedAddress['address'] }),
  to: (JSON.parse(hit.toList) as NamedAddress[]).map(formatNamed),
  subject: hit.subject,
  excerpt: excerptOf(hit, terms),
  // BM25 as SQLite gives it is lower where a match is better.
  score: hit.rank === 0 ? 0 : -hit.rank,
  created_at: isoTime(hit.createdAt),
});

const positionOf = (cursor: string) => {
  const [rank, seq] = decodeCursor(cursor, 'number', 'number');
  return { rank: Number(rank), seq: Number(seq) };
};

export const createSearch = ({ store }: { store: Store }): Handlers<typeof searchContract> => ({
  search: async (caller, { q, limit, cursor }) => {
    const after = cursor === undefined ? null : positionOf(cursor);
    const mailboxId = mailboxOf(caller);
    const query = parseSearch(q);
    // Nothing but punctuation asks for nothing.
    if (query === null) return { hits: [], next_cursor: null };
    const hits = await searchMessages(store.longRead, mailboxId, query, after, limit + 1);
    const page = hits.slice(0, limit);
    const last = page.at(-1);
    return {
      hits: page.map((hit) => viewHit(hit, query.all.flat())),
      next_cursor: last && hits.length > limit ? encodeCursor(last.rank, last.seq) : null,
    };
  },
});

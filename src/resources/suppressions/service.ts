/** The suppressions resource. */

import { addressKey, parseAddress } from '../../kernel/address.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import type { Store } from '../../store/store.ts';
import { deleteSuppression, listSuppressions, type Suppression } from '../../store/suppressions.ts';
import type { suppressionsContract } from './contract.ts';

export const viewSuppression = (entry: Suppression) => ({
  address: entry.address,
  reason: entry.reason,
  bounce_type: entry.bounceType,
  message_id: entry.messageId,
  until: entry.until === null ? null : isoTime(entry.until),
  created_at: isoTime(entry.createdAt),
});

export const createSuppressions = ({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Handlers<typeof suppressionsContract> => ({
  list: async ({ workspaceId }, { limit, cursor }) => {
    const position = cursor === undefined ? null : Number(decodeCursor(cursor, 'number')[0]);
    const rows = await listSuppressions(store.read, workspaceId, clock.now(), position, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      suppressions: page.map(viewSuppression),
      next_cursor: last && rows.length > limit ? encodeCursor(last.createdAt) : null,
    };
  },

  remove: async ({ workspaceId }, { address }) => {
    const parsed = parseAddress(address);
    const deleted = parsed && (await store.write((tx) => deleteSuppression(tx, workspaceId, addressKey(parsed))));
    if (!deleted) throw new ApiError('suppression_not_found');
    return { deleted: true };
  },
});

/** The suppressions resource. */

import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { readTime, toPage } from '../../kernel/page.ts';
import { deleteSuppression, listSuppressions } from '../../store/sending/suppressions.ts';
import type { Store } from '../../store/store.ts';
import type { suppressionsContract } from './contract.ts';
import { viewSuppression } from './view.ts';

export const createSuppressions = ({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Handlers<typeof suppressionsContract> => ({
  list: async ({ workspaceId }, { limit, cursor }) => {
    const rows = await listSuppressions(store.read, workspaceId, clock.now(), readTime(cursor), limit + 1);
    const { page, next_cursor } = toPage(rows, limit, ({ createdAt }) => [createdAt]);
    return { suppressions: page.map(viewSuppression), next_cursor };
  },

  remove: async ({ workspaceId }, { address }) => {
    const deleted = await store.write((tx) => deleteSuppression(tx, workspaceId, address));
    if (!deleted) throw new ApiError('suppression_not_found');
    return { deleted: true };
  },
});

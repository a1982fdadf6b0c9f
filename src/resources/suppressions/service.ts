/** The suppressions resource. */

import type { Clock, Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byCreationTime, readPage } from '../../kernel/page.ts';
import { deleteSuppression, listSuppressions, type Suppression } from '../../store/sending/suppressions.ts';
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
  list: async ({ workspaceId }, input) => {
    const { rows, next_cursor } = await readPage<Suppression, Millis>(input, byCreationTime, (before, limit) =>
      listSuppressions(store.read, workspaceId, clock.now(), before, limit),
    );
    return { suppressions: rows.map(viewSuppression), next_cursor };
  },

  remove: ({ workspaceId }, { address }, { record }) =>
    store.write(async (tx) => {
      if (!(await deleteSuppression(tx, workspaceId, address))) throw new ApiError('suppression_not_found');
      return record(tx, { workspaceId, subject: address }, { deleted: true as const });
    }),
});

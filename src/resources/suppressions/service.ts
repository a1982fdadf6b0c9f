/** The suppressions resource. */

import { requireWorkspaceReach } from '../../access/made-by.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byCreationTime, readPage } from '../../kernel/page.ts';
import { findMessage } from '../../store/mail/messages.ts';
import {
  deleteSuppression,
  findSuppression,
  listSuppressions,
  type Suppression,
} from '../../store/sending/suppressions.ts';
import type { Db, Store } from '../../store/store.ts';
import type { suppressionsContract } from './contract.ts';
import { viewSuppression } from './view.ts';

/** @throws ApiError insufficient_scope */
const requireLiftable = async (db: Db, caller: AgentCaller, entry: Suppression): Promise<void> => {
  const { reason, until, messageId } = entry;
  if (reason !== 'bounce' && until === null) {
    throw new ApiError('insufficient_scope', {
      hint: 'A person suppressed this address, or its owner complained: a person alone lifts that.',
    });
  }
  const isOwn = messageId !== null && (await findMessage(db, mailboxOf(caller), messageId)) !== null;
  if (!isOwn) requireWorkspaceReach(caller, 'The mail of another agent bounced there: it needs the reach workspace.');
};

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

  remove: (caller, { address }, { record }) =>
    store.write(async (tx) => {
      const { workspaceId } = caller;
      const entry = await findSuppression(tx.db, workspaceId, address);
      if (!entry) throw new ApiError('suppression_not_found');
      await requireLiftable(tx.db, caller, entry);
      await deleteSuppression(tx, workspaceId, address);
      return record(tx, { workspaceId, subject: address }, { deleted: true as const });
    }),
});

/** The suppressions resource: only persons lift complaints and suppressions by persons. */

import { requireWorkspaceReach } from '../../access/made-by.ts';
import { viewOf } from '../../access/view-of.ts';
import { type AgentCaller, isPerson, mailboxOf } from '../../kernel/caller.ts';
import { type Clock, isoTimeOrNull, type Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { byCreationTime, readPage } from '../../kernel/page.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { findMessage } from '../../store/mail/messages.ts';
import {
  deleteSuppression,
  findSuppression,
  findSuppressionsBeginning,
  insertSuppression,
  listSuppressions,
  type Suppression,
} from '../../store/sending/suppressions.ts';
import type { Db, Store } from '../../store/store.ts';
import { suppressionShape, type suppressionsContract } from './contract.ts';

const viewSuppression = viewOf(suppressionShape, ({ until }: Suppression) => ({ until: isoTimeOrNull(until) }));

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
      if (!entry) {
        const workspace = isPerson(caller) ? await findWorkspaceById(tx.db, workspaceId) : null;
        throw new ApiError('suppression_not_found', {
          fields: workspace ? { address, workspace: workspace.slug } : {},
        });
      }
      if (!isPerson(caller)) await requireLiftable(tx.db, caller, entry);
      await deleteSuppression(tx, workspaceId, address);
      const answer = isPerson(caller) ? { address, removed: true as const } : { deleted: true as const };
      return record(tx, { workspaceId, subject: address }, answer);
    }),

  find: async ({ workspaceId }, { beginning, limit }) => {
    const found = await findSuppressionsBeginning(store.read, workspaceId, clock.now(), beginning, limit + 1);
    return { suppressions: found.slice(0, limit).map(viewSuppression), has_more: found.length > limit };
  },

  add: ({ workspaceId }, { address }, { record }) => {
    const createdAt = clock.now();
    const entry = { address, reason: 'manual', bounceType: null, messageId: null, until: null, createdAt } as const;
    return store.write(async (tx) => {
      await insertSuppression(tx, workspaceId, entry);
      return record(tx, { workspaceId, subject: address }, viewSuppression(entry));
    });
  },
});

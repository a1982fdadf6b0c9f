/** Held mail, as its agent sees it. */

import { mailboxOf } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byTimeAndId, readPage } from '../../kernel/page.ts';
import { findHeldSend, type HeldSend, listHeldSends } from '../../store/sending/held-sends.ts';
import type { Store } from '../../store/store.ts';
import type { heldMailContract } from './contract.ts';
import { viewPending, viewPendingOutcome } from './view.ts';

const newestFirst = byTimeAndId<'pending', HeldSend>(({ createdAt }) => createdAt);

export const createHeldMail = ({ store }: { store: Store }): Handlers<typeof heldMailContract> => ({
  listPending: async (caller, input) => {
    const mailboxId = mailboxOf(caller);
    const { rows, next_cursor } = await readPage(input, newestFirst, (after, limit) =>
      listHeldSends(store.read, { mailboxId, after, limit }),
    );
    return { pending: rows.map(viewPending), next_cursor };
  },
  getPending: async (caller, { id }) => {
    const pending = await findHeldSend(store.read, mailboxOf(caller), id);
    if (!pending) throw new ApiError('pending_not_found');
    return viewPendingOutcome(pending);
  },
});

/** Scheduled sends of an agent: list, outcome, cancellation. */

import { mailboxOf } from '../../kernel/caller.ts';
import { requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { readPage } from '../../kernel/page.ts';
import { endScheduledSend, findScheduledSend, listScheduledSends } from '../../store/sending/scheduled-sends.ts';
import type { Store } from '../../store/store.ts';
import type { scheduledContract } from './contract.ts';
import { soonestFirst, viewScheduled, viewScheduledOutcome } from './view.ts';

export const createScheduled = ({ store }: { store: Store }): Handlers<typeof scheduledContract> => ({
  listScheduled: async (caller, input) => {
    const { rows, next_cursor } = await readPage(input, soonestFirst, (after, limit) =>
      listScheduledSends(store.read, mailboxOf(caller), after, limit),
    );
    return { scheduled: rows.map(viewScheduled), next_cursor };
  },

  getScheduled: async (caller, { id }) => {
    const scheduled = requireFound(await findScheduledSend(store.read, mailboxOf(caller), id), 'scheduled_not_found');
    return viewScheduledOutcome(scheduled);
  },

  /** The first of a cancellation and the send wins: a scheduled send ends once. */
  cancelScheduled: async (caller, { id }) =>
    store.write(async (tx) => {
      const scheduled = requireFound(await findScheduledSend(tx.db, mailboxOf(caller), id), 'scheduled_not_found');
      const cancelled = scheduled.status === 'cancelled' || (await endScheduledSend(tx, id, { status: 'cancelled' }));
      return cancelled ? { scheduled_id: id, cancelled: true } : viewScheduledOutcome(scheduled);
    }),
});

/** Held mail, as its agent sees it. */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { SECOND } from '../../kernel/clock.ts';
import { requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { PendingId } from '../../kernel/ids.ts';
import { byTimeAndId, readPage } from '../../kernel/page.ts';
import { rejectHeld } from '../../outbound/gate/decide-held.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { listWebhooksOfAgent, type Webhook } from '../../store/events/webhooks.ts';
import { findHeldSend, type HeldSend } from '../../store/sending/held-sends.ts';
import { MAX_WAIT_SECONDS } from '../messages/wait/contract.ts';
import type { Needs } from '../needs.ts';
import type { heldMailContract } from './contract.ts';
import { listHeld } from './list-held.ts';
import { viewEndpointOutcome, viewPending, viewPendingOutcome, viewWaitingEndpoint } from './view.ts';

const newestFirst = byTimeAndId<'pending', HeldSend>(({ createdAt }) => createdAt);

const WITHDRAWN = 'Withdrawn by its agent.';

export const createHeldMail = (
  needs: Needs<'store' | 'clock' | 'events' | 'publicUrl' | 'decisionWaits'>,
): Handlers<typeof heldMailContract> => {
  const { store, clock, events, publicUrl, decisionWaits } = needs;

  const listWaiting = async ({ agentId }: AgentCaller): Promise<Webhook[]> =>
    (await listWebhooksOfAgent(store.read, agentId)).filter(({ withheld }) => withheld === 'approval');

  const find = async (caller: AgentCaller, id: PendingId): Promise<HeldSend> =>
    requireFound(await findHeldSend(store.read, mailboxOf(caller), id), 'pending_not_found');

  const wait = async (caller: AgentCaller, id: PendingId, seconds: number, signal: AbortSignal | undefined) => {
    const endpoint = (await listWaiting(caller)).find((each) => String(each.id) === String(id));
    if (endpoint) return viewEndpointOutcome(endpoint, publicUrl);
    const isDecided = async (): Promise<boolean> => (await find(caller, id)).status !== 'pending';
    const timeoutMs = Math.min(seconds, MAX_WAIT_SECONDS) * SECOND;
    if (!(await isDecided()) && timeoutMs > 0) {
      await decisionWaits.wait(id, isDecided, { who: caller, timeoutMs, ...(signal && { signal }) });
    }
    return viewPendingOutcome(await find(caller, id), publicUrl);
  };

  return {
    listPending: async (caller, input) => {
      const mailboxId = mailboxOf(caller);
      const { rows, next_cursor } = await readPage(input, newestFirst, (after, limit) =>
        listHeld(store.read, { mailboxId, after, limit }),
      );
      // Few: they stand on the first page.
      const endpoints = input.cursor === undefined ? await listWaiting(caller) : [];
      const waiting = endpoints.map((each) => viewWaitingEndpoint(each, publicUrl));
      return { pending: [...waiting, ...rows.map((each) => viewPending(each, publicUrl))], next_cursor };
    },
    getPending: (caller, { id, wait: seconds }, { signal }) => wait(caller, id, seconds, signal),
    waitForDecision: (caller, { pending_id, timeout_seconds }, { signal }) =>
      wait(caller, pending_id, timeout_seconds, signal),

    /** The first of a withdrawal and a decision wins. Approved mail that can still be undone counts as decided. */
    cancelPending: (caller, { id }) =>
      store.write(async (tx) => {
        const pending = requireFound(await findHeldSend(tx.db, mailboxOf(caller), id), 'pending_not_found');
        const by = (await findAgentById(tx.db, caller.agentId))?.handle ?? caller.agentId;
        if (pending.releaseAt === null) {
          const isWithdrawn = await rejectHeld({ events }, tx, pending, { by, note: WITHDRAWN, at: clock.now() });
          if (isWithdrawn) return { pending_id: id, cancelled: true, status: 'rejected' };
        }
        // A repeated withdrawal gives the same answer.
        const { status, decidedBy } = pending;
        return { pending_id: id, cancelled: status === 'rejected' && decidedBy === by, status };
      }),
  };
};

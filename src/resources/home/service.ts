import { requireWorkspace } from '../../access/reach.ts';
import type { OwnerCaller } from '../../kernel/caller.ts';
import { DAY, isoTimeOrNull } from '../../kernel/clock.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { countAgents, listUsedAgents } from '../../store/accounts/agents.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { countMailSince, countUnread, findLastKeyUse } from '../../store/mail/mailbox-counts.ts';
import { listMailDays } from '../../store/sending/mail-days.ts';
import { listOutcomes } from '../../store/sending/outcomes.ts';
import type { Needs } from '../needs.ts';
import { type homeContract, MOST_COUNTED } from './contract.ts';
import { findNeeds } from './find-needs.ts';
import { readHealth } from './health.ts';
import { firstDay, firstHour, toDays } from './sending-days.ts';

/** Each costs four small queries. */
const MOST_AGENTS = 200;

export const createHome = ({
  store,
  clock,
  plans,
}: Needs<'store' | 'clock' | 'plans'>): Handlers<typeof homeContract> => {
  const own = (caller: OwnerCaller): Promise<Workspace> => requireWorkspace(store.read, caller);

  return {
    needs: async (caller) => {
      const { looked_at, ...found } = await findNeeds(store.read, plans, await own(caller), clock.now());
      return { ...found, looked_at: { ...looked_at, agents: await countAgents(store.read, caller.workspaceId) } };
    },

    sending: async (caller, { days: shown }) => {
      const now = clock.now();
      const workspace = await own(caller);
      const hours = await listOutcomes(store.read, workspace.id, firstHour(now, shown));
      const counted = await listMailDays(store.read, workspace.id, firstDay(now, shown));
      const received = new Map(counted.map((each) => [each.day, each.received]));
      const { days, rates } = toDays(hours, received, workspace.ratesFrom, now, shown);
      const { bounceRate, complaintRate, outcomes } = rates;
      const { throttle_bounces, pause_bounces, throttle_complaints, pause_complaints, minimum_recipients } =
        plans.rates;
      return {
        days,
        rates: { bounces: bounceRate, complaints: complaintRate, recipients: outcomes.ended },
        lines: { throttle_bounces, pause_bounces, throttle_complaints, pause_complaints, minimum_recipients },
      };
    },

    health: async (caller, { days }) => readHealth(store.read, plans, await own(caller), clock.now(), days),

    agents: async (caller, { since }) => {
      const now = clock.now();
      const from = since ?? now - (now % DAY);
      const agents = await listUsedAgents(store.read, caller.workspaceId, MOST_AGENTS);
      return {
        agents: await Promise.all(
          agents.map(async ({ id, handle, mailboxId }) => ({
            agent: handle,
            unread: await countUnread(store.read, mailboxId, MOST_COUNTED),
            in_today: await countMailSince(store.read, mailboxId, 'in', from, MOST_COUNTED),
            out_today: await countMailSince(store.read, mailboxId, 'out', from, MOST_COUNTED),
            last_active_at: isoTimeOrNull(await findLastKeyUse(store.read, id)),
          })),
        ),
      };
    },
  };
};

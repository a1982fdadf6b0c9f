/** Scheduled sends of all agents. */

import { isWithinReach } from '../../../access/reach.ts';
import { formatNamed } from '../../../kernel/address.ts';
import type { OwnerCaller } from '../../../kernel/caller.ts';
import { isoTime } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { ScheduledId } from '../../../kernel/ids.ts';
import { readPage, type TimeAndId } from '../../../kernel/page.ts';
import { readRequest, requireSchedulable } from '../../../outbound/scheduled/scheduled-dispatch.ts';
import { type Agent, findAgentById, listHandles } from '../../../store/accounts/agents.ts';
import {
  endScheduledSend,
  findScheduledRequest,
  findScheduledSend,
  listBookedSends,
  moveScheduledSend,
  type ScheduledSend,
} from '../../../store/sending/scheduled-sends.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { soonestFirst, viewScheduled } from '../view.ts';
import type { BookedView, bookedContract } from './contract.ts';

const view = (scheduled: ScheduledSend, agent: string): BookedView => ({
  ...viewScheduled(scheduled),
  agent,
  sent_by: scheduled.sentBy,
});

/** @throws ApiError scheduled_not_found, also for one outside the caller's reach */
const reach = async (
  db: Db,
  caller: OwnerCaller,
  id: ScheduledId,
): Promise<{ scheduled: ScheduledSend; agent: Agent }> => {
  const scheduled = await findScheduledSend(db, null, id);
  const agent = scheduled && (await findAgentById(db, scheduled.agentId));
  if (!scheduled || !agent || !isWithinReach(caller, agent.workspaceId)) throw new ApiError('scheduled_not_found');
  return { scheduled, agent };
};

const toAct = ({ scheduled, agent }: Awaited<ReturnType<typeof reach>>) => ({
  workspaceId: agent.workspaceId,
  subject: agent.handle,
  detail: { scheduled_id: scheduled.id, send_at: isoTime(scheduled.sendAt) },
});

export const createBooked = ({
  store,
  clock,
  events,
}: Needs<'store' | 'clock' | 'events'>): Handlers<typeof bookedContract> => ({
  list: async (caller, input) => {
    const list = (after: TimeAndId<'scheduled'> | null, limit: number) =>
      listBookedSends(store.read, caller.workspaceId, after, limit);
    const { rows, next_cursor } = await readPage(input, soonestFirst, list);
    const handles = await listHandles(store.read, caller.workspaceId);
    return { booked: rows.map((row) => view(row, handles.get(row.agentId) ?? '')), next_cursor };
  },

  get: async (caller, { scheduled_id: id }) => {
    const { scheduled, agent } = await reach(store.read, caller, id);
    const compressed = await findScheduledRequest(store.read, id);
    if (compressed === null) throw new ApiError('scheduled_over');
    const { to, cc, bcc = [], body, html, attachments } = await readRequest(compressed);
    return {
      ...view(scheduled, agent.handle),
      to: to.map(formatNamed),
      cc: cc.map(formatNamed),
      bcc: bcc.map(formatNamed),
      body,
      has_html: html !== undefined,
      filenames: attachments.map(({ filename }) => filename),
    };
  },

  change: async (caller, { scheduled_id: id, send_at: sendAt }, { record }) => {
    requireSchedulable(sendAt, clock.now());
    return store.write(async (tx) => {
      await reach(tx.db, caller, id);
      if (!(await moveScheduledSend(tx, id, sendAt))) throw new ApiError('scheduled_over');
      const moved = await reach(tx.db, caller, id);
      return record(tx, toAct(moved), view(moved.scheduled, moved.agent.handle));
    });
  },

  cancel: async (caller, { scheduled_id: id }, { record }) =>
    store.write(async (tx) => {
      const found = await reach(tx.db, caller, id);
      if (!(await endScheduledSend(tx, id, { status: 'cancelled' }))) throw new ApiError('scheduled_over');
      const { workspaceId, mailboxId } = found.agent;
      const { scheduled_id, to, subject } = viewScheduled(found.scheduled);
      const data = { scheduled_id, to, subject, cancelled_by: 'owner' } as const;
      await events.publish(tx, { name: 'scheduled.cancelled', workspaceId, mailboxId, data });
      return record(tx, toAct(found), { scheduled_id: id, cancelled: true as const });
    }),
});

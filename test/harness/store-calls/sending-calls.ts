import * as deliveries from '../../../src/store/sending/deliveries.ts';
import * as queue from '../../../src/store/sending/delivery-queue.ts';
import * as dueMailboxes from '../../../src/store/sending/due-mailboxes.ts';
import * as heldSends from '../../../src/store/sending/held-sends.ts';
import * as mailDays from '../../../src/store/sending/mail-days.ts';
import * as outcomes from '../../../src/store/sending/outcomes.ts';
import * as passed from '../../../src/store/sending/passed-deliveries.ts';
import * as scheduledSends from '../../../src/store/sending/scheduled-sends.ts';
import * as suppressions from '../../../src/store/sending/suppressions.ts';
import * as tripwires from '../../../src/store/sending/tripwires.ts';
import * as usage from '../../../src/store/sending/usage.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const enqueue = ({ tx, small, message, now }: CallContext): Promise<deliveries.Delivery[]> =>
  deliveries.insertDeliveries(
    tx,
    [
      {
        id: unknownId(),
        messageId: message.id,
        mailboxId: small.mailboxId,
        address: REMOTE,
        domain: 'remote.test',
      },
    ],
    now,
    now,
  );

const lease = (now: number): deliveries.Lease => ({ by: unknownId(), until: now + 1_000 });
const report = { status: 'bounced', code: 550, enhancedCode: '5.1.1', response: 'no' } as const;
const session = { remoteHost: 'mx.remote.test', tls: null, transcript: null };

export const deliveryCalls: CallsOf<typeof deliveries> = {
  insertDeliveries: enqueue,
  findDelivery: ({ db }) => deliveries.findDelivery(db, unknownId()),
  listDeliveriesOf: ({ db, message }) => deliveries.listDeliveriesOf(db, message.id),
  listDeliveryStatuses: ({ db, message }) => deliveries.listDeliveryStatuses(db, message.id),
  recordReport: ({ tx }) => deliveries.recordReport(tx, unknownId(), report),
};

export const queueCalls: CallsOf<typeof queue> = {
  withCutOffs: null,
  lease: null,
  claimDue: async (context) => {
    await enqueue(context);
    await queue.claimDue(context.tx, context.now, lease(context.now), 10);
  },
  claimDueOf: async (context) => {
    await enqueue(context);
    await queue.claimDueOf(context.tx, context.small.mailboxId, context.now, lease(context.now), 10);
  },
  countDue: ({ db, now }) => queue.countDue(db, now, 100),
  nextDueTime: ({ db }) => queue.nextDueTime(db),
  renewLeases: ({ tx, now }) => queue.renewLeases(tx, lease(now)),
  voidLeases: ({ tx }) => queue.voidLeases(tx, [unknownId()]),
  recordAttempt: ({ tx, now }) => queue.recordAttempt(tx, unknownId(), unknownId(), now),
  recordResult: ({ tx }) =>
    queue.recordResult(tx, unknownId(), unknownId(), { ...report, ...session, nextAttemptAt: null }),
  releaseDeliveries: ({ tx, now }) => queue.releaseDeliveries(tx, [unknownId()], unknownId(), now),
  deferDelivery: ({ tx, now }) => queue.deferDelivery(tx, unknownId(), now),
  listDeferrable: ({ db, small, now }) =>
    queue.listDeferrable(db, { mailboxId: small.mailboxId, domain: 'remote.test', since: 0 }, now, now, 10),
  expediteDelivery: ({ tx, now }) => queue.expediteDelivery(tx, unknownId(), now),
  expediteUntried: ({ tx, small, now }) => queue.expediteUntried(tx, small.workspaceId, now),
  cancelDelivery: ({ tx }) => queue.cancelDelivery(tx, unknownId()),
  listQueue: async ({ db, small }) => [
    await queue.listQueue(db, null, 20),
    await queue.listQueue(db, small.workspaceId, 20),
  ],
};

export const dueMailboxCalls: CallsOf<typeof dueMailboxes> = {
  listDueMailboxes: async ({ db, small, now }) => [
    await dueMailboxes.listDueMailboxes(db, null, now, 50),
    await dueMailboxes.listDueMailboxes(db, small.mailboxId, now, 50),
  ],
};

export const heldSendCalls: CallsOf<typeof heldSends> = {
  countHeldSends: ({ db }) => heldSends.countHeldSends(db, 100),
  sumHeldSends: ({ db, small }) => heldSends.sumHeldSends(db, small.mailboxId),
  countHeldSince: ({ db, small, now }) => heldSends.countHeldSince(db, [small.workspaceId, unknownId()], now),
  hasHeldNotGranted: ({ db, small, now }) => heldSends.hasHeldNotGranted(db, small.agentId, now),
  insertHeldSend: ({ tx, small, now }) =>
    heldSends.insertHeldSend(
      tx,
      {
        id: unknownId(),
        agentId: small.agentId,
        mailboxId: small.mailboxId,
        workspaceId: small.workspaceId,
        reason: 'agent_on_hold',
        sendClass: 'cold',
        to: [],
        cc: [],
        bcc: [],
        replyTo: [],
        sentBy: null,
        subject: 'S',
        snippet: '',
        attachments: [],
        htmlText: null,
        secrets: [],
        notGranted: false,
        createdAt: now,
        expiresAt: now,
      },
      { outgoing: '{}', mime: Buffer.from('m'), size: 1 },
    ),
  findHeldSend: async ({ db, small }) => [
    await heldSends.findHeldSend(db, null, unknownId()),
    await heldSends.findHeldSend(db, small.mailboxId, unknownId()),
  ],
  setRelease: async ({ tx, now }) => {
    await heldSends.setRelease(tx, unknownId(), { by: 'owner', note: null, releaseAt: now });
    await heldSends.setRelease(tx, unknownId(), null);
  },
  listReleases: ({ db }) => heldSends.listReleases(db, 10),
  findOriginal: ({ db }) => heldSends.findOriginal(db, unknownId()),
  replaceHeldMail: ({ tx }) => {
    const original = { subject: 'S', text: 'T', recipients: [] };
    const parts = { to: [], cc: [], bcc: [], subject: 'S', snippet: '', attachments: [], htmlText: null, secrets: [] };
    const mail = { outgoing: '{}', mime: Buffer.from('m'), size: 1 };
    return heldSends.replaceHeldMail(tx, unknownId(), { ...parts, changes: '', original }, mail);
  },
  findHeldMail: ({ db }) => heldSends.findHeldMail(db, unknownId()),
  listHeldSends: async ({ db, small: { mailboxId, workspaceId }, now }) => [
    await heldSends.listHeldSends(db, { mailboxId, limit: 20 }),
    await heldSends.listHeldSends(db, { mailboxId, after: { at: now, id: unknownId() }, limit: 20 }),
    await heldSends.listHeldSends(db, { workspaceId, limit: 20 }),
    await heldSends.listHeldSends(db, { limit: 20 }),
  ],
  sumHeldByAgent: ({ db, small }) => heldSends.sumHeldByAgent(db, small.workspaceId),
  listHeldBetween: ({ db, small, now }) => heldSends.listHeldBetween(db, small.mailboxId, { since: 0, until: now }, 10),
  listDecidedSends: async ({ db, small, now }) => {
    await heldSends.listDecidedSends(db, small.workspaceId, null, 10);
    await heldSends.listDecidedSends(db, small.workspaceId, { at: now, id: unknownId() }, 10);
  },
  listExpiredHeldSends: ({ db, now }) => heldSends.listExpiredHeldSends(db, now, 20),
  decideHeldSend: ({ tx, now }) =>
    heldSends.decideHeldSend(tx, unknownId(), { status: 'approved', by: 'o', note: null, at: now }),
  recordHeldResult: async ({ tx }) => {
    await heldSends.recordHeldResult(tx, unknownId(), { messageId: unknownId() });
    await heldSends.recordHeldResult(tx, unknownId(), { failureReason: 'no' });
    await heldSends.recordHeldResult(tx, unknownId(), null);
  },
};

export const outcomeCalls: CallsOf<typeof outcomes> = {
  addOutcomes: ({ tx, small, now }) => outcomes.addOutcomes(tx, small.workspaceId, now, { ended: 1 }),
  closeHour: ({ tx, small, now }) => outcomes.closeHour(tx, small.workspaceId, now),
  listOutcomes: ({ db, small }) => outcomes.listOutcomes(db, small.workspaceId, 0),
  sumOutcomes: ({ db, small }) => outcomes.sumOutcomes(db, small.workspaceId, 0),
  isFirstOfReply: ({ tx, small, now }) => outcomes.isFirstOfReply(tx, small.workspaceId, 'bounced', 'remote.test', now),
};

const scheduledSend = ({ small, now }: Pick<CallContext, 'small' | 'now'>): scheduledSends.ScheduledSend => ({
  id: unknownId(),
  agentId: small.agentId,
  mailboxId: small.mailboxId,
  status: 'pending',
  to: [],
  subject: 'S',
  sendAt: now,
  bookedAt: now,
  attempts: 0,
  messageId: null,
  pendingId: null,
  failureReason: null,
  bookedBy: null,
  byGrant: false,
  cancelledBy: null,
  sentBy: null,
});

export const scheduledCalls: CallsOf<typeof scheduledSends> = {
  insertScheduledSend: ({ tx, small, now }) =>
    scheduledSends.insertScheduledSend(
      tx,
      {
        id: unknownId(),
        agentId: small.agentId,
        mailboxId: small.mailboxId,
        to: [],
        subject: 'S',
        sendAt: now,
        bookedAt: now,
        bookedBy: unknownId(),
        byGrant: false,
      },
      Buffer.from('{}'),
    ),
  sumScheduledSends: ({ db, small }) => scheduledSends.sumScheduledSends(db, small.mailboxId),
  findScheduledSend: ({ db, small }) => scheduledSends.findScheduledSend(db, small.mailboxId, unknownId()),
  findScheduledRequest: ({ db }) => scheduledSends.findScheduledRequest(db, unknownId()),
  listScheduledSends: async ({ db, small, now }) => [
    await scheduledSends.listScheduledSends(db, small.mailboxId, null, 20),
    await scheduledSends.listScheduledSends(db, small.mailboxId, { at: now, id: unknownId() }, 20),
  ],
  listBookedSends: async ({ db, small, now }) => [
    await scheduledSends.listBookedSends(db, small.workspaceId, null, 20),
    await scheduledSends.listBookedSends(db, small.workspaceId, { at: now, id: unknownId() }, 20),
  ],
  moveScheduledSend: ({ tx, now }) => scheduledSends.moveScheduledSend(tx, unknownId(), now),
  listBookers: async ({ db }) => [
    await scheduledSends.listBookers(db, null),
    await scheduledSends.listBookers(db, { by: unknownId() }),
    await scheduledSends.listBookers(db, { workspaceId: unknownId() }),
  ],
  listBookedBy: ({ db, small }) =>
    scheduledSends.listBookedBy(db, { bookedBy: unknownId(), byGrant: true, agentId: small.agentId }),
  listBookedByOwner: ({ db, small }) => scheduledSends.listBookedByOwner(db, small.workspaceId, REMOTE),
  listDueScheduledSends: ({ db, now }) => scheduledSends.listDueScheduledSends(db, now, 20),
  nextScheduledTime: ({ db }) => scheduledSends.nextScheduledTime(db),
  deferScheduledSend: (box) => scheduledSends.deferScheduledSend(box.tx, scheduledSend(box), box.now),
  endScheduledSend: ({ tx }) => scheduledSends.endScheduledSend(tx, unknownId(), { status: 'cancelled' }),
  endDueSend: async (box) => {
    const end = (result: scheduledSends.ScheduledResult) =>
      scheduledSends.endDueSend(box.tx, scheduledSend(box), result);
    await end({ status: 'sent', messageId: unknownId() });
    await end({ status: 'held', pendingId: unknownId() });
    await end({ status: 'failed', failureReason: 'no' });
  },
};

export const suppressionCalls: CallsOf<typeof suppressions> = {
  insertSuppression: ({ tx, small, now: createdAt }) =>
    suppressions.insertSuppression(tx, small.workspaceId, {
      address: REMOTE,
      reason: 'manual',
      bounceType: null,
      messageId: null,
      until: null,
      createdAt,
    }),
  findSuppressed: ({ db, small, now }) => suppressions.findSuppressed(db, small.workspaceId, [REMOTE], now),
  listSuppressions: async ({ db, small, now }) => [
    await suppressions.listSuppressions(db, small.workspaceId, now, null, 20),
    await suppressions.listSuppressions(db, small.workspaceId, now, now, 20),
  ],
  findSuppressionsBeginning: ({ db, small, now }) =>
    suppressions.findSuppressionsBeginning(db, small.workspaceId, now, 'carol', 20),
  findSuppression: ({ db, small }) => suppressions.findSuppression(db, small.workspaceId, REMOTE),
  deleteSuppression: ({ tx, small }) => suppressions.deleteSuppression(tx, small.workspaceId, REMOTE),
};

export const tripwireCalls: CallsOf<typeof tripwires> = {
  countColdSends: ({ db, small, now }) => tripwires.countColdSends(db, small.mailboxId, now),
  addColdSend: ({ tx, small, now }) => tripwires.addColdSend(tx, small.mailboxId, now),
  findCooldown: ({ db, small }) => tripwires.findCooldown(db, small.mailboxId),
  startCooldown: ({ tx, small, now }) => tripwires.startCooldown(tx, small.mailboxId, now),
  recipientsOfBody: ({ db, small }) => tripwires.recipientsOfBody(db, small.mailboxId, Buffer.alloc(32), 0),
  addBodyRecipients: ({ tx, small, now }) =>
    tripwires.addBodyRecipients(tx, small.mailboxId, Buffer.alloc(32), [REMOTE], now),
};

export const usageCalls: CallsOf<typeof usage> = {
  findUsage: ({ db, small }) => usage.findUsage(db, small.mailboxId, '2026-11'),
  listUsage: ({ db, small }) => usage.listUsage(db, small.mailboxId, ['2026-11', '2026-12']),
  addUsage: ({ tx, small, now }) => usage.addUsage(tx, small, now, { units: 1, cold: 0 }),
};

export const mailDayCalls: CallsOf<typeof mailDays> = {
  addMailDay: ({ tx, small, now }) => mailDays.addMailDay(tx, small, now, { received: 1 }),
  listMailDays: ({ db, small }) => mailDays.listMailDays(db, small.workspaceId, 0),
  addHostReply: ({ tx, small, now }) =>
    mailDays.addHostReply(tx, small.workspaceId, 'remote.test', { ...report, kind: 'refused' }, now),
  listHosts: ({ db, small }) => mailDays.listHosts(db, small.workspaceId, 0, 10),
  listHostReplies: ({ db, small }) => mailDays.listHostReplies(db, small.workspaceId, 'remote.test', 0, 4),
};

export const passedCalls: CallsOf<typeof passed> = {
  passDelivery: async (context) => {
    await enqueue(context);
    const { until } = lease(context.now);
    const held = { by: unknownId<'run'>(), to: unknownId<'run'>(), lane: 1, until, most: { inAll: 10, ofLane: 10 } };
    await passed.passDelivery(context.tx, unknownId(), held);
  },
  isLaneHeldElsewhere: ({ db }) => passed.isLaneHeldElsewhere(db, 1, unknownId()),
  isPassedTo: ({ db }) => passed.isPassedTo(db, unknownId()),
  takePassed: ({ tx, now }) => passed.takePassed(tx, lease(now), 10),
  returnPassed: ({ tx }) => passed.returnPassed(tx, unknownId()),
};

import * as eventLog from '../../../src/store/events/event-log.ts';
import * as notices from '../../../src/store/events/notices.ts';
import * as attempts from '../../../src/store/events/webhook-attempts.ts';
import * as webhookDeliveries from '../../../src/store/events/webhook-deliveries.ts';
import * as webhooks from '../../../src/store/events/webhooks.ts';
import { webhookRow } from '../http/webhook-row.ts';
import { type CallContext, type CallsOf, unknownId } from './call.ts';

const event = ({ small, now }: CallContext) => ({
  id: 'evt_x',
  workspaceId: small.workspaceId,
  mailboxId: small.mailboxId,
  name: 'message.received',
  data: {},
  createdAt: now,
});

const webhook = ({ small, now }: CallContext) => webhookRow(small.workspaceId, now);

export const eventLogCalls: CallsOf<typeof eventLog> = {
  insertEvent: (context) => eventLog.insertEvent(context.tx, event(context)),
  listEventsAfter: ({ db }) => eventLog.listEventsAfter(db, 0, 20),
  listWorkspaceEvents: ({ db, small }) => eventLog.listWorkspaceEvents(db, small.workspaceId, 0, 20),
  listEventsOf: ({ db }) => eventLog.listEventsOf(db, [1, 2]),
  findEventSeq: ({ db, small }) => eventLog.findEventSeq(db, small.workspaceId, 'evt_x'),
  latestEventId: ({ db, small }) => eventLog.latestEventId(db, small.workspaceId),
  latestEventSeq: ({ db }) => eventLog.latestEventSeq(db),
  eventSeqAt: ({ db, now }) => eventLog.eventSeqAt(db, now),
  purgeEventsUntil: ({ tx }) => eventLog.purgeEventsUntil(tx, 0, 20),
};

export const noticeCalls: CallsOf<typeof notices> = {
  insertNotice: ({ tx, now }) =>
    notices.insertNotice(tx, {
      id: unknownId(),
      kind: 'held',
      data: { pendingId: unknownId() },
      ownerEmail: 'o@remote.test',
      dueAt: now,
      createdAt: now,
    }),
  listDueNotices: ({ db, now }) => notices.listDueNotices(db, now, 20),
  deleteNotice: ({ tx }) => notices.deleteNotice(tx, unknownId()),
  deferNotice: ({ tx, now }) => notices.deferNotice(tx, unknownId(), now),
  findRoleMailDay: ({ db, now }) => notices.findRoleMailDay(db, 'o@remote.test', now),
  setRoleMailDay: ({ tx, now }) => notices.setRoleMailDay(tx, 'o@remote.test', now, { count: 1, withheld: [] }),
  countHeldNotice: ({ tx, now }) => notices.countHeldNotice(tx, 'o@remote.test', now),
};

export const webhookAttemptCalls: CallsOf<typeof attempts> = {
  insertWebhookAttempt: ({ tx, small, now }) =>
    attempts.insertWebhookAttempt(
      tx,
      small.workspaceId,
      {
        webhookId: unknownId(),
        eventSeq: 1,
        attempt: 1,
        statusCode: 200,
        responseBody: null,
        durationMs: 1,
        error: null,
      },
      now,
    ),
  listWebhookAttempts: async ({ db, small, now }) => [
    await attempts.listWebhookAttempts(db, small.workspaceId, null, now, 25),
    await attempts.listWebhookAttempts(db, small.workspaceId, [unknownId()], null, 25),
  ],
  listWakes: ({ db, small, now }) =>
    attempts.listWakes(db, small.workspaceId, small.mailboxId, { since: 0, until: now }, 20),
  purgeWebhookAttempts: ({ tx, now }) => attempts.purgeWebhookAttempts(tx, now, 20),
};

export const webhookDeliveryCalls: CallsOf<typeof webhookDeliveries> = {
  fanOut: async (context) => {
    await webhooks.insertWebhook(context.tx, webhook(context));
    await webhookDeliveries.fanOut(context.tx, { ...event(context), seq: 1 });
  },
  listDueForWebhook: ({ db, now }) => webhookDeliveries.listDueForWebhook(db, unknownId(), now, 16),
  nextDueForWebhook: ({ db, now }) => webhookDeliveries.nextDueForWebhook(db, unknownId(), now),
  listWebhooksWithWaiting: ({ db }) => webhookDeliveries.listWebhooksWithWaiting(db),
  recordWebhookAttempt: ({ tx, now: at }) =>
    webhookDeliveries.recordWebhookAttempt(tx, unknownId(), 1, { attempts: 1, nextAttemptAt: null, at, body: null }),
  expediteWebhookDeliveries: ({ tx, now }) => webhookDeliveries.expediteWebhookDeliveries(tx, unknownId(), now),
  dropWaiting: ({ tx }) => webhookDeliveries.dropWaiting(tx, unknownId(), null, 20),
  deleteDeliveriesOf: ({ tx }) => webhookDeliveries.deleteDeliveriesOf(tx, unknownId(), 20),
  purgeDeliveriesUntil: ({ tx }) => webhookDeliveries.purgeDeliveriesUntil(tx, 0, 20),
  findSentDelivery: async ({ db, small }) => [
    await webhookDeliveries.findSentDelivery(db, small.workspaceId, 'evt_x', null, [unknownId(), unknownId()]),
    await webhookDeliveries.findSentDelivery(db, small.workspaceId, 'evt_x', unknownId(), [unknownId(), unknownId()]),
  ],
};

export const webhookCalls: CallsOf<typeof webhooks> = {
  insertWebhook: (context) => webhooks.insertWebhook(context.tx, webhook(context)),
  updateWebhook: (context) => webhooks.updateWebhook(context.tx, webhook(context)),
  findWebhookById: ({ db }) => webhooks.findWebhookById(db, unknownId()),
  findWebhook: ({ db, small }) => webhooks.findWebhook(db, small.workspaceId, unknownId()),
  listWebhooks: ({ db, small }) => webhooks.listWebhooks(db, small.workspaceId),
  listWebhooksMadeBy: ({ db }) => webhooks.listWebhooksMadeBy(db, unknownId()),
  listWebhooksOfAgent: ({ db, small }) => webhooks.listWebhooksOfAgent(db, small.agentId),
  listWithheldWebhooks: async ({ db, small }) => [
    await webhooks.listWithheldWebhooks(db, 'approval', small.workspaceId),
    await webhooks.listWithheldWebhooks(db, 'approval', null),
  ],
  setWithheld: ({ tx }) => webhooks.setWithheld(tx, unknownId(), 'suspended'),
  listSealedWebhooks: ({ db }) => webhooks.listSealedWebhooks(db),
  resealWebhook: ({ tx }) =>
    webhooks.resealWebhook(tx, { id: unknownId(), sealedSecrets: Buffer.alloc(1), sealedHeaders: null }),
  countWebhooks: ({ db, small }) => webhooks.countWebhooks(db, small.workspaceId),
  deleteWebhook: ({ tx }) => webhooks.deleteWebhook(tx, unknownId()),
  listInactiveWebhooks: ({ db }) => webhooks.listInactiveWebhooks(db),
  clearFailures: ({ tx, now }) => webhooks.clearFailures(tx, { id: unknownId(), updatedAt: now }),
  countFailure: ({ tx, now }) => webhooks.countFailure(tx, { id: unknownId(), updatedAt: now }),
  findFailures: ({ db, now }) => webhooks.findFailures(db, { id: unknownId(), updatedAt: now }),
  deferWebhook: ({ tx, now }) => webhooks.deferWebhook(tx, { id: unknownId(), updatedAt: now }, now),
  disableWebhook: ({ tx, now }) => webhooks.disableWebhook(tx, unknownId(), 'failures', now),
};

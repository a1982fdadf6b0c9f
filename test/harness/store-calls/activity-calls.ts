import * as activityLog from '../../../src/store/activity/activity-log.ts';
import { type CallContext, type CallsOf, unknownId } from './call.ts';

const row = ({ small, now }: CallContext, seq: number): activityLog.ActivityRow => ({
  seq,
  id: unknownId(),
  workspaceId: small.workspaceId,
  at: now,
  actor: 'ann',
  action: 'rule.add',
  subject: 'ann',
  via: 'REST',
  detail: '{}',
  hash: Buffer.alloc(32),
  mac: null,
});

export const activityLogCalls: CallsOf<typeof activityLog> = {
  findActivityHead: ({ db }) => activityLog.findActivityHead(db),
  updateActivityHead: async ({ tx }) => {
    const head = await activityLog.findActivityHead(tx.db);
    await activityLog.updateActivityHead(tx, { ...head, seq: head.seq + 1 });
  },
  insertActivity: async (context) => {
    const head = await activityLog.findActivityHead(context.tx.db);
    await activityLog.updateActivityHead(context.tx, { ...head, seq: head.seq + 1 });
    await activityLog.insertActivity(context.tx, row(context, head.seq + 1));
  },
  findActivitySeq: ({ db, now }) => activityLog.findActivitySeq(db, now, 1, 9),
  hasActivityMac: ({ db }) => activityLog.hasActivityMac(db, 1),
  listActivity: async ({ db, small }) => [
    await activityLog.listActivity(db, null, null, 10),
    await activityLog.listActivity(db, small.workspaceId, 7, 10),
  ],
  findActivity: async ({ db, small }) => [
    await activityLog.findActivity(db, null, { actor: 'ann' }, { before: 9, floor: 1, limit: 10 }),
    await activityLog.findActivity(
      db,
      small.workspaceId,
      { action: 'rule', words: '50 %' },
      { before: 9, floor: 1, limit: 10 },
    ),
    await activityLog.findActivity(db, null, { action: 'rule.add' }, { before: 9, floor: 1, limit: 10 }),
  ],
  listActivityChain: ({ db }) => activityLog.listActivityChain(db, 0, 10, 10),
  findActivityAt: ({ db, now }) => activityLog.findActivityAt(db, now),
  findActivityEnd: ({ db }) => activityLog.findActivityEnd(db),
  deletePurgedActivity: ({ tx }) => activityLog.deletePurgedActivity(tx, 0),
};

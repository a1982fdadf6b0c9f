/** The tables of the activity log. */

import type { Via } from '../../kernel/caller.ts';
import type { ActivityAction } from '../../kernel/operation.ts';
import { buffer, id, mapping, number, text } from '../mapping.ts';

export const activity = mapping('activity', {
  /** From 1, without gaps: the order of the chain. */
  seq: number(),
  id: id<'activity'>(),
  /** Null: of the instance itself. */
  workspaceId: id<'workspace'>().nullable(),
  at: number(),
  actor: text(),
  action: text<ActivityAction>(),
  subject: text(),
  via: text<Via>(),
  /** JSON, as the hash covers it. */
  detail: text(),
  hash: buffer(),
  mac: buffer().nullable(),
});

export const activityHead = mapping('activity_head', {
  /** 1, of the one row. */
  id: number(),
  seq: number(),
  hash: buffer(),
  purgedSeq: number(),
  purgedHash: buffer(),
  mac: buffer().nullable(),
});

/** Rows of the activity log in the shape that persons see. */

import { isoTime } from '../../kernel/clock.ts';
import type { ActivityRow } from '../../store/activity/activity-log.ts';
import type { ActView } from './contract.ts';

export const viewAct = (
  { id, at, actor, action, subject, via, detail }: ActivityRow,
  mail: ActView['mail'],
): ActView => ({
  id,
  at: isoTime(at),
  actor,
  action,
  subject,
  via,
  detail: JSON.parse(detail) as Record<string, unknown>,
  mail,
});

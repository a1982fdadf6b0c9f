/** The queue: overdue deliveries without an attempt. */

import { HOUR, MINUTE } from '../../kernel/clock.ts';
import type { Check } from '../check.ts';
import { fail, ok, warn } from '../finding.ts';

const LATE_MS = 15 * MINUTE;
const VERY_LATE_MS = 2 * HOUR;

export const checkQueue: Check = async ({ nextDueAt, now, isServing }) => {
  const late = nextDueAt === null ? 0 : now - nextDueAt;
  if (late < LATE_MS) return [ok('queue', 'No delivery is late.')];
  const told = `A delivery has been due for ${Math.round(late / MINUTE)} minutes.`;
  const fix = isServing ? 'Look into the log, and at `postroom queue list`.' : 'Start the daemon.';
  return [late > VERY_LATE_MS ? fail('queue', told, fix) : warn('queue', told, fix)];
};

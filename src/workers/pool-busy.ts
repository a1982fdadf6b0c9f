/** The threads have no room, or are stopping: nothing is said about the task, which may be tried again later. */

import { ApiError } from '../kernel/errors.ts';

const RETRY_AFTER_SECONDS = 10;

export class PoolBusy extends ApiError {
  constructor(cause?: unknown) {
    super('overloaded', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, cause });
  }
}

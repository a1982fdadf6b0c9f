/** The pool is full or stopping. The task did not start and may be retried. */

import { ApiError } from '../kernel/errors.ts';

const RETRY_AFTER_SECONDS = 10;

export class PoolBusy extends ApiError {
  constructor(cause?: unknown) {
    super('overloaded', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, cause });
  }
}

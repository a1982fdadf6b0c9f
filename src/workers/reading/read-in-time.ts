/** Reads in a thread what a caller sent, which ends the thread where it takes too long. */

import { ApiError } from '../../kernel/errors.ts';
import { ThreadDied } from '../thread-died.ts';

const HINT = 'It could not be read in time, or in the memory for it. Shorten it, or send it in parts.';

/** @throws ApiError invalid_request where the reading ended its thread twice: a repeated request would, too */
export const readInTime = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    throw error instanceof ThreadDied ? new ApiError('invalid_request', { hint: HINT, cause: error }) : error;
  });

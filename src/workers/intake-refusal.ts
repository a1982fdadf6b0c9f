/** Refusals of a worker thread: a structured clone keeps an error's message, and loses what class and code it had. */

import { ApiError, type ErrorCode } from '../kernel/errors.ts';

/** What a worker thread answers. */
export type WorkerAnswer =
  | { done: unknown }
  | { refusal: { code: ErrorCode } & Pick<ApiError, 'hint' | 'fields' | 'headers'> };

/** Runs in the thread: a refusal is an answer there, any other error is the thread's. */
export const answerOf = async (work: Promise<unknown>): Promise<WorkerAnswer> => {
  try {
    return { done: await work };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, hint, fields, headers } = error;
    return { refusal: { code, hint, fields, headers } };
  }
};

/** @throws ApiError as it was thrown in the thread */
export const resultOfAnswer = (answer: WorkerAnswer): unknown => {
  if ('done' in answer) return answer.done;
  const { code, ...detail } = answer.refusal;
  throw new ApiError(code, detail);
};

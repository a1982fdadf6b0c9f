/** Carries refusals out of a worker thread as values: a structured clone of an error loses its class and code. */

import { ApiError, type ErrorCode } from '../kernel/errors.ts';

/** The result of a task. */
export type WorkerAnswer =
  | { kind: 'done'; result: unknown }
  | { kind: 'refused'; refusal: { code: ErrorCode } & Pick<ApiError, 'hint' | 'fields' | 'headers'> };

/** Runs in the thread. An ApiError becomes a value; any other error rejects. */
export const toAnswer = async (work: Promise<unknown>): Promise<WorkerAnswer> => {
  try {
    return { kind: 'done', result: await work };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, hint, fields, headers } = error;
    return { kind: 'refused', refusal: { code, hint, fields, headers } };
  }
};

/** @throws ApiError as it was thrown in the thread */
export const resultOfAnswer = (answer: WorkerAnswer): unknown => {
  if (answer.kind === 'done') return answer.result;
  const { code, ...detail } = answer.refusal;
  throw new ApiError(code, detail);
};

/** Converts every failure of a request to the interface's form: `{ error, hint }`. */

import type { FastifyError, FastifyReply } from 'fastify';
import { ApiError, type ErrorCode } from '../../kernel/errors.ts';
import { ThreadError, UnwritableError } from '../../store/store-errors.ts';

/** Fastify's own refusals (its FST_ codes) as the interface's. */
const OWN_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'route_not_found',
};

/** What the machine lacks for now. Its end may take a person: it is logged, as no other overload is. */
const LACKS = [
  {
    error: UnwritableError,
    hint: 'This server takes no writes: its disk is full, or its database does not answer. Its operator has to see to it.',
  },
  {
    error: ThreadError,
    hint: 'This server lacks memory or threads for this at the moment. Ask again soon; its operator has to see to it where it lasts.',
  },
];
/** A database that is started again is back by then. */
const LACK_HEADERS = { 'retry-after': '30' };
const findLack = (cause: unknown) => LACKS.find(({ error }) => cause instanceof error);

/**
 * The refusal for an error. Any other error is a fault of the service, with its cause only in the log.
 * @param bodyLimit of the request's route, in bytes
 */
export const toApiError = (error: unknown, bodyLimit?: number): ApiError => {
  if (error instanceof ApiError) return error;
  const lack = findLack(error);
  if (lack) return new ApiError('overloaded', { hint: lack.hint, headers: LACK_HEADERS, cause: error });
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : OWN_CODES[code];
  if (known === 'body_too_large')
    return new ApiError(known, { hint: `A body is at most ${(bodyLimit ?? 0) / 1024} KiB here.`, cause: error });
  if (known) return new ApiError(known, { cause: error });
  const isClients = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return new ApiError(isClients ? 'invalid_request' : 'internal_error', { cause: error });
};

/** Whether it is logged as a fault. Overload is not, except of the machine: the budget logs its refusals. */
export const isFault = ({ status, code, cause }: ApiError): boolean =>
  status >= 500 && (code !== 'overloaded' || findLack(cause) !== undefined);

export const sendError = (reply: FastifyReply, error: ApiError): FastifyReply =>
  reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send({ error: error.code, hint: error.hint, ...error.fields });

/** The responses of an operation: its replies, its refusals, and the headers of both. */

import { type ErrorCode, hintOf, statusOf } from '../../../kernel/errors.ts';
import { bytesReply, fieldCodes, hasBody, isPublic, type RoutedOperation } from '../../../kernel/operation.ts';
import { pickAll } from '../../../kernel/schema-walk.ts';
import { type Json, referTo } from './schemas.ts';

/** Errors of any operation, beside its own. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'invalid_key',
  'invalid_token',
  'agent_suspended',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'overloaded',
];
const commonErrors = (operation: RoutedOperation): readonly ErrorCode[] =>
  isPublic(operation) ? COMMON_ERRORS.filter((code) => !isAboutKeys(code)) : COMMON_ERRORS;
const BODY_ERRORS: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_flight'];
/** Replies with these state when to retry. */
const COME_AGAIN: readonly ErrorCode[] = ['rate_limited', 'overloaded', 'vault_unavailable', 'idempotency_in_flight'];

const header = (description: string, type: string): Json => ({ description, schema: { type } });

export const headerComponents: Json = {
  RequestId: header('Names this request in the log.', 'string'),
  RateLimit: header('Requests a minute.', 'integer'),
  RateLimitRemaining: header('Requests that are left of this minute.', 'integer'),
  RateLimitReset: header('When all of them are there again, in seconds since 1970.', 'integer'),
  RetryAfter: header('Seconds to wait before the request is made again.', 'integer'),
  IdempotentReplayed: header('`true`: the first reply under this Idempotency-Key, once more.', 'string'),
};

const toHeaders = (...more: readonly (readonly [name: string, component: string])[]): Json =>
  Object.fromEntries(
    [
      ['x-request-id', 'RequestId'] as const,
      ['x-ratelimit-limit', 'RateLimit'] as const,
      ['x-ratelimit-remaining', 'RateLimitRemaining'] as const,
      ['x-ratelimit-reset', 'RateLimitReset'] as const,
      ...more,
    ].map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted: do not send it again',
  409: 'Too late: what it is by now',
  422: 'Refused: /docs/sending tells what each `reason` means',
};

const LIMIT: Json = { included: { type: 'integer' }, used: { type: 'integer' } };

/** Further fields of errors, beside `error` and `hint`. */
const FIELDS: Partial<Record<ErrorCode, Json>> = {
  attachment_not_found: { attachments: { type: 'array', items: { type: 'string' } } },
  attachment_not_text: { content_type: { type: 'string' } },
  custom_domain_limit_reached: LIMIT,
  idempotency_key_reused: { first_reply: referTo('SendResult') },
  insufficient_scope: { scope: { type: 'string' } },
  knowledge_limit_reached: LIMIT,
  mailbox_limit_reached: LIMIT,
  no_valid_cards: { failed: { type: 'array', items: { type: 'object' } } },
  revision_conflict: { revision: { type: 'integer' } },
  webhook_limit_reached: LIMIT,
};

/** The general error, with the codes that can come with this status. */
const errorSchema = (codes: readonly ErrorCode[]): Json => {
  const error = { type: 'string', enum: [...codes].sort() };
  const properties = Object.assign({ error }, ...codes.map((code) => FIELDS[code]));
  return { allOf: [referTo('Error'), { type: 'object', properties }] };
};

/** An operation without a key has no errors about keys. */
const isAboutKeys = (code: ErrorCode): boolean => statusOf(code) === 401 || statusOf(code) === 403;

/** Every error of an operation, those of its fields among them. */
const listErrors = (operation: RoutedOperation): ErrorCode[] => [
  ...new Set([
    ...pickAll(operation.input, (layer) => fieldCodes.get(layer)).flatMap(({ picked }) => Object.values(picked)),
    ...operation.errors,
    ...(hasBody(operation) ? BODY_ERRORS : []),
    ...(operation.idempotent ? IDEMPOTENCY_ERRORS : []),
    ...commonErrors(operation),
  ]),
];

const json = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** Refusals that many operations share, by the set of their codes. */
const SHARED: Readonly<Record<string, readonly ErrorCode[]>> = {
  InvalidRequest: ['invalid_request'],
  InvalidBody: ['invalid_json', 'invalid_request'],
  Unauthorized: ['invalid_key', 'invalid_token', 'unauthorized'],
  Forbidden: ['agent_suspended', 'insufficient_scope'],
  IdempotencyConflict: ['idempotency_in_flight', 'idempotency_key_reused'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  RateLimited: ['rate_limited'],
  InternalError: ['internal_error'],
  Overloaded: ['overloaded'],
};

/** @param errors all of them, {@link COMMON_ERRORS} included */
export const toRefusals = (errors: readonly ErrorCode[]): Json => {
  const byStatus = Map.groupBy(new Set(errors), statusOf);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, sharedRefusal(codes) ?? refusal(codes)]));
};

const sharedRefusal = (codes: readonly ErrorCode[]): Json | null => {
  const sorted = [...codes].sort().join();
  const name = Object.keys(SHARED).find((each) => SHARED[each]?.join() === sorted);
  return name === undefined ? null : { $ref: `#/components/responses/${name}` };
};

const refusal = (codes: readonly ErrorCode[]): Json => {
  const [first] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${hintOf(code)}`).join('\n'),
    headers: toHeaders(
      ...(codes.some((code) => COME_AGAIN.includes(code)) ? [['retry-after', 'RetryAfter'] as const] : []),
    ),
    content: json(errorSchema(codes), first && { error: first, hint: hintOf(first) }),
  };
};

export const responseComponents = (): Json =>
  Object.fromEntries(Object.entries(SHARED).map(([name, codes]) => [name, refusal(codes)]));

/** An example belongs to the status that it has. */
const exampleFor = (
  { statusOf: statusOfOutput, statuses = [200] }: RoutedOperation,
  status: number,
  example: unknown,
) => ((statusOfOutput?.(example as never) ?? statuses[0]) === status ? example : undefined);

/** @param output the name of the output's schema */
export const toResponses = (operation: RoutedOperation, output: string, example: (name: string) => unknown): Json => {
  const { statuses = [200], idempotent, streams = [] } = operation;
  const errors = listErrors(operation);
  const responses = toRefusals(errors);
  const headers = toHeaders(...(idempotent ? [['idempotent-replayed', 'IdempotentReplayed'] as const] : []));
  for (const status of statuses) {
    const description = DESCRIPTIONS[status] ?? 'Answer';
    if (operation.output === bytesReply) {
      responses[status] = {
        description,
        headers,
        content: {
          '*/*': { schema: { type: 'string', format: 'binary' } },
          ...(operation.inWords && json(referTo(output), example(output))),
        },
      };
      continue;
    }
    const codes = errors.filter((code) => statusOf(code) === status);
    // One status may stand for a negative result and for an error.
    const schema = codes.length > 0 ? { anyOf: [referTo(output), errorSchema(codes)] } : referTo(output);
    responses[status] = {
      description: [description, ...codes.map((code) => `\`${code}\`: ${hintOf(code)}`)].join('\n'),
      headers,
      content: {
        ...json(schema, exampleFor(operation, status, example(output))),
        ...Object.fromEntries(streams.map((mediaType) => [mediaType, { schema: { type: 'string' } }])),
      },
    };
  }
  return responses;
};

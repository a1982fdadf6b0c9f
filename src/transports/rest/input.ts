/** Reads an operation's input from an HTTP request: path, query and body, as the contract assigns them. */

import { z } from 'zod';
import { ApiError } from '../../kernel/errors.ts';
import { hasBody, type RoutedOperation } from '../../kernel/operation.ts';
import { bareSchema, fieldsOf, itemOf } from '../../kernel/schema-walk.ts';
import { nearWords } from '../../kernel/text/fault-words.ts';
import { RawBody } from '../http/raw-body.ts';

export interface RequestParts {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  /** Undefined without a body. */
  body: unknown;
}

export const pathParameters = ({ path }: RoutedOperation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

const listed = new WeakMap<RoutedOperation, string[]>();

/** The fields of an operation's input that come from the query. */
export const queryParameters = (operation: RoutedOperation): string[] => {
  const known = listed.get(operation) ?? listQueryParameters(operation);
  listed.set(operation, known);
  return known;
};

const listQueryParameters = (operation: RoutedOperation): string[] => {
  const inPath = new Set(pathParameters(operation));
  if (hasBody(operation)) return [...(operation.query ?? [])];
  return Object.keys(fieldsOf(operation.input)).filter((name) => !inPath.has(name));
};

/** @throws ApiError invalid_request for input that cannot be parsed */
export const readInput = (
  operation: RoutedOperation,
  { params, query, body }: RequestParts,
): Record<string, unknown> => ({
  ...(body instanceof RawBody ? readRawBody(operation, body) : readBody(operation, body)),
  ...readQuery(operation, query, body instanceof RawBody),
  ...params,
});

const readBody = (operation: RoutedOperation, body: unknown): Record<string, unknown> => {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('invalid_request', { hint: 'The body is a JSON object.' });
  }
  for (const name of [...pathParameters(operation), ...queryParameters(operation)]) {
    if (Object.hasOwn(body, name)) throw unknownField(name, 'body');
  }
  return body as Record<string, unknown>;
};

const readRawBody = ({ rawBody }: RoutedOperation, { mediaType, octets }: RawBody): Record<string, unknown> => {
  if (rawBody?.mediaType !== mediaType) throw new ApiError('unsupported_media_type');
  return { [rawBody.field]: octets };
};

const readQuery = (
  operation: RoutedOperation,
  query: RequestParts['query'],
  isRaw: boolean,
): Record<string, unknown> => {
  const known = new Set([...queryParameters(operation), ...(isRaw ? (operation.rawBody?.query ?? []) : [])]);
  return readQueryFields(operation.input, known, query);
};

/** @throws ApiError invalid_request for an unknown or repeated field */
export const readQueryFields = (
  input: z.ZodType,
  known: ReadonlySet<string>,
  query: RequestParts['query'],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      if (!known.has(name)) throw unknownField(name, 'query', known);
      if (Array.isArray(value))
        throw new ApiError('invalid_request', { hint: `\`${name}\` stands twice in the query.` });
      const field = fieldsOf(input)[name];
      // Programs that page write `cursor=` for the first page, and form builders all that is not filled in.
      return value === '' && field?.isOptional() ? [] : [[name, fromText(field, value)]];
    }),
  );

/** @param known the fields that the query may have */
export const unknownField = (name: string, where: 'query' | 'body', known: Iterable<string> = []) =>
  new ApiError('invalid_request', {
    hint: `\`${name}\` is not a field of this operation's ${where}${nearWords([name], known)}.`,
  });

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Converts a query's text to a number, a flag or a list (`a,b`) as the schema needs. Text that does not convert stays,
 * and is refused.
 */
const fromText = (schema: z.ZodType | undefined, text: string): unknown => {
  const inner = schema && bareSchema(schema);
  if (schema && itemOf(schema)) return text === '' ? [] : text.split(',');
  if (inner instanceof z.ZodNumber) return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  // Python writes `True`.
  if (inner instanceof z.ZodBoolean) return FLAGS.get(text.toLowerCase()) ?? text;
  return text;
};

/** The OpenAPI 3.1 document, derived from the operations. */

import { z } from 'zod';
import { type ErrorCode, hintOf, statusOf } from '../../kernel/errors.ts';
import { bytesReply, type Operation, scopesOf } from '../../kernel/operation.ts';
import { EVENT_STREAM } from './event-stream.ts';
import { hasBody, pathParameters, queryParameters } from './input.ts';

type Json = Record<string, unknown>;

/** What any operation may answer with beside its own errors. */
const COMMON_ERRORS: ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'invalid_key',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
];

export const openApiDocument = (operations: readonly Operation[], publicUrl: string): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Postroom',
    version: '1.0.0',
    description: 'E-mail for software agents: mailboxes, sending, receiving, search.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: publicUrl }],
  security: [{ apiKey: [] }],
  paths: { ...pathsOf(operations), [EVENT_STREAM.path]: { get: describeEventStream() } },
  components: {
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `svc_…`.' } },
    schemas: {
      Error: {
        type: 'object',
        required: ['error', 'hint'],
        properties: { error: { type: 'string' }, hint: { type: 'string' } },
      },
    },
  },
});

const pathsOf = (operations: readonly Operation[]): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return paths;
};

const describeEventStream = (): Json => ({
  operationId: EVENT_STREAM.name,
  summary: 'Streams events as they happen: those of your mailbox and of the workspace.',
  tags: ['events'],
  'x-scopes': scopesOf(EVENT_STREAM),
  'x-not-a-tool': 'it never ends; a model waits by wait_for_email',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      schema: { type: 'string' },
      description: 'Goes on after the event of that id',
    },
  ],
  responses: {
    ...refusalsOf([]),
    200: {
      description: 'Server-sent events: `id` is the envelope’s, `event` its name, `data` the envelope',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
  },
});

const describe = (operation: Operation): Json => {
  const input = jsonSchema(operation.input, 'input');
  const properties = (input.properties ?? {}) as Record<string, Json>;
  const required = (input.required ?? []) as string[];
  const inPath = pathParameters(operation);
  const inQuery = queryParameters(operation);
  const parameter = (place: string) => (name: string) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: properties[name] ?? { type: 'string' },
  });
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [operation.path.split('/')[2] ?? 'v1'],
    'x-scopes': scopesOf(operation),
    ...(operation.tool?.none !== undefined && { 'x-not-a-tool': operation.tool.none }),
    parameters: [...inPath.map(parameter('path')), ...inQuery.map(parameter('query'))],
    ...(hasBody(operation) && { requestBody: bodyOf(properties, required, new Set([...inPath, ...inQuery])) }),
    responses: responsesOf(operation),
  };
};

const bodyOf = (properties: Record<string, Json>, required: string[], elsewhere: Set<string>): Json => {
  const needed = required.filter((name) => !elsewhere.has(name));
  return {
    required: needed.length > 0,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !elsewhere.has(name))),
          ...(needed.length > 0 && { required: needed }),
          additionalProperties: false,
        },
      },
    },
  };
};

const responsesOf = ({ output, statuses = [200], errors }: Operation): Json => {
  const content =
    output === bytesReply
      ? { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } }
      : { 'application/json': { schema: jsonSchema(output, 'output') } };
  return {
    ...refusalsOf(errors),
    ...Object.fromEntries(statuses.map((status) => [status, { description: nameOf(status), content }])),
  };
};

const refusalsOf = (errors: readonly ErrorCode[]): Json => {
  const byStatus = Map.groupBy([...new Set([...errors, ...COMMON_ERRORS])], statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${hintOf(code)}`).join('\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
};

const nameOf = (status: number): string =>
  ({ 200: 'Done', 201: 'Created', 202: 'Accepted: do not send it again', 422: 'Refused: see `reason`' })[status] ??
  'Answer';

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

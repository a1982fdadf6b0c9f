/** The OpenAPI 3.1 document, derived from the operations and the catalogue of events. */

import { z } from 'zod';
import { ERROR_CODES } from '../../../kernel/errors.ts';
import { bytesReply, hasBody, isPublic, type RoutedOperation, scopesOf } from '../../../kernel/operation.ts';
import { named, nameOfSchema } from '../../../kernel/schema-names.ts';
import { fieldsOf } from '../../../kernel/schema-walk.ts';
import { pathParameters, queryParameters } from '../input.ts';
import { EVENT_STREAM } from '../sse-stream.ts';
import { toExample } from './example.ts';
import { COMMON_ERRORS, headerComponents, responseComponents, toRefusals, toResponses } from './responses.ts';
import { componentSchemas, type Json, parameterSchemas, referTo } from './schemas.ts';
import { describeWebhooks, eventSchemas } from './webhooks.ts';

const errorShape = named(
  'Error',
  z.object({
    error: named('ErrorCode', z.enum(ERROR_CODES)),
    hint: z.string().describe('What is wrong, and what to do about it'),
  }),
);

const TAGS: Readonly<Record<string, string>> = {
  messages: 'Reading, sending, replying to and forwarding mail.',
  changes: 'What happened to you since a cursor, each event once and in order.',
  threads: 'Conversations.',
  search: 'Full-text search over your mail.',
  identity: 'Who you are, and whose mail you take.',
  contacts: 'People and companies, what agents remember of them, and lists of them.',
  notes: 'What agents write down, for themselves and for each other.',
  knowledge: 'What the workspace knows: sites, pages and texts, searched by passage.',
  secrets: 'The vault: secrets that a person granted to you.',
  suppressions: 'Addresses that mail no longer goes to.',
  webhooks: 'Endpoints that events are posted to.',
  events: 'Events as they happen.',
  mailboxes: 'The agents of your workspace and their addresses; further ones within its plan.',
  domains: 'Domains of the workspace, the DNS records that they need, and their check.',
  signup: 'Your first address and key, without a person.',
};

/** @param publicUrl the base of the paths */
export const openApiDocument = (routed: readonly RoutedOperation[], publicUrl: string): Json => {
  const operations = routed.map((each) => (each.described ? { ...each, output: each.described } : each));
  const bodies = new Map(operations.flatMap((operation) => toBodySchema(operation)));
  const outputs = outputNames(operations);
  const schemas = componentSchemas(bodies, new Map([...outputs, [errorShape, 'Error'], ...eventSchemas]));
  const examples: Examples = (name) => toExample(schemas[name] ?? {}, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postroom',
      version: '1.0.0',
      description:
        'E-mail for software agents: mailboxes, sending, receiving, search; contacts, notes and a vault of secrets. Optional ' +
        'fields of a request may be null.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Documentation', url: `${publicUrl}/docs` },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(['events', ...operations.map(toTag)])].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths: { ...toPaths(operations, outputs, examples), [EVENT_STREAM.path]: { get: describeEventStream() } },
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `svc_…`.' } },
      headers: headerComponents,
      parameters: { IdempotencyKey },
      responses: responseComponents(),
      schemas,
    },
  };
};

const IdempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes the request safe to repeat for 24 hours: the first reply comes again, and nothing is sent twice.',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

/** `send_message`: `SendMessage`. */
const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const jsonOf = ({ output, inWords }: Pick<RoutedOperation, 'output' | 'inWords'>): z.ZodType | undefined =>
  output === bytesReply ? inWords : output;

/** The first operation with an answer gives the shared schema its name. */
const outputNames = (operations: readonly RoutedOperation[]): Map<z.ZodType, string> => {
  const names = new Map<z.ZodType, string>();
  for (const { name, ...operation } of operations) {
    const output = jsonOf(operation);
    if (output && !names.has(output)) names.set(output, nameOfSchema(output) ?? `${pascal(name)}Reply`);
  }
  return names;
};

const toTag = ({ path }: RoutedOperation): string => path.split('/')[2] ?? 'v1';

/** An example of a component schema, by its name. */
export type Examples = (name: string) => unknown;

const toPaths = (
  operations: readonly RoutedOperation[],
  outputs: ReadonlyMap<z.ZodType, string>,
  examples: Examples,
): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const described = describe(operation, outputs.get(jsonOf(operation) ?? operation.output) ?? '', examples);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  return paths;
};

const describeEventStream = (): Json => ({
  operationId: EVENT_STREAM.name,
  summary: 'Streams events as they happen: those of your mailbox and of the workspace.',
  description: 'Server-sent events. A stream that ended goes on after the event that `Last-Event-ID` names.',
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
    ...toRefusals(COMMON_ERRORS),
    200: {
      description: 'Server-sent events: `id` is the envelope’s, `event` its name, `data` the envelope',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
  },
});

const describe = (operation: RoutedOperation, output: string, examples: Examples): Json => {
  const [body] = toBodySchema(operation);
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: formatDescription(operation),
    tags: [toTag(operation)],
    ...(isPublic(operation) && { security: [] }),
    'x-scopes': scopesOf(operation),
    ...(operation.tool?.none !== undefined && { 'x-not-a-tool': operation.tool.none }),
    parameters: toParameters(operation),
    ...(body && { requestBody: describeBody(...body, examples, operation) }),
    responses: toResponses(operation, output, examples),
  };
};

const formatDescription = (operation: RoutedOperation): string => {
  const { summary, tool } = operation;
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const needed = isPublic(operation) ? 'Needs no key.' : `Needs ${scopes.join(' and ')}.`;
  return [summary, tool?.when && `Use it ${tool.when}.`, needed].filter(Boolean).join(' ');
};

const toParameters = (operation: RoutedOperation): Json[] => {
  const { properties, required } = parameterSchemas(operation.input);
  const parameter = (place: string) => (name: string) => {
    const { description, ...schema } = properties[name] ?? { type: 'string' };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    };
  };
  return [
    ...pathParameters(operation).map(parameter('path')),
    ...queryParameters(operation).map(parameter('query')),
    // Also in the JSON body, but query parameters beside a raw body.
    ...(operation.rawBody?.query ?? []).map(parameter('query')).map((each) => ({ ...each, required: false })),
    ...(operation.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
};

/** The body's schema and its name: the input without the fields of path and query. */
const bodies = new WeakMap<RoutedOperation, [z.ZodObject, string]>();

const toBodySchema = (operation: RoutedOperation): [[z.ZodObject, string]] | [] => {
  if (!hasBody(operation)) return [];
  const known = bodies.get(operation);
  if (known) return [known];
  const elsewhere = new Set([...pathParameters(operation), ...queryParameters(operation)]);
  const shape = Object.fromEntries(Object.entries(fieldsOf(operation.input)).filter(([name]) => !elsewhere.has(name)));
  if (Object.keys(shape).length === 0) return [];
  const body: [z.ZodObject, string] = [z.strictObject(shape), `${pascal(operation.name)}Body`];
  bodies.set(operation, body);
  return [body];
};

const describeBody = (
  schema: z.ZodObject,
  name: string,
  examples: Examples,
  { rawBody, example }: RoutedOperation,
): Json => ({
  required: Object.values(fieldsOf(schema)).some((field) => !field.safeParse(undefined).success),
  content: {
    'application/json': { schema: referTo(name), example: example ?? examples(name) },
    ...(rawBody && { [rawBody.mediaType]: { schema: { type: 'string' } } }),
  },
});

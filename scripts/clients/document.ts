/** What the clients are made from: the operations of the OpenAPI document, each with its fields and its answer. */

import { isRouted, type Operation } from '../../src/kernel/operation.ts';
import { contracts } from '../../src/resources/contracts.ts';
import { openApiDocument } from '../../src/transports/rest/openapi/document.ts';

/** JSON Schema, as far as the document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  place: 'path' | 'query' | 'body';
}

export interface ClientOperation {
  name: string;
  summary: string;
  method: string;
  path: string;
  hasBody: boolean;
  /** Whether it takes an Idempotency-Key. */
  isIdempotent: boolean;
  fields: Field[];
  /** Null: answered with bytes, also where JSON may be asked for. */
  reply: Schema | null;
}

export interface ClientDocument {
  operations: ClientOperation[];
  schemas: Record<string, Schema>;
  /** The data of each event, by its name. */
  events: Record<string, Schema>;
}

interface Parameter extends Omit<Field, 'place' | 'isRequired'> {
  $ref?: string;
  in: string;
  required: boolean;
  description?: string;
}

type Content = Record<string, { schema: Schema }>;

interface Described {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
  components: { schemas: Record<string, Schema> };
}

const SCHEMAS = '#/components/schemas/';
const JSON_TYPE = 'application/json';

export const nameOfReference = (reference: string): string => reference.slice(SCHEMAS.length);

export const readDocument = (): ClientDocument => {
  const operations = Object.values(contracts)
    .flatMap((contract) => Object.values<Operation>(contract))
    .filter(isRouted);
  // A client asks for other answers than the usual one too.
  const all = operations.map(({ described: _, ...operation }) => operation);
  const document = openApiDocument(all, 'https://mx.example.com') as unknown as Document;
  const { schemas } = document.components;
  const resolve = (schema: Schema = {}): Schema =>
    schema.$ref === undefined ? schema : resolve(schemas[nameOfReference(schema.$ref)]);
  const dataOf = (envelope: Schema | undefined): Schema => resolve(envelope).properties?.data ?? {};
  return {
    schemas,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, described]) => {
        const hasBody = method === 'post' || method === 'patch' || described.requestBody !== undefined;
        return toOperation(path, method.toUpperCase(), hasBody, described, resolve) ?? [];
      }),
    ),
    events: Object.fromEntries(
      Object.entries(document.webhooks).map(([name, { post }]) => [
        name,
        dataOf(post.requestBody.content[JSON_TYPE]?.schema),
      ]),
    ),
  };
};

/** Null for a stream: what reads one is no call. */
const toOperation = (
  path: string,
  method: string,
  hasBody: boolean,
  { operationId, summary, parameters, requestBody, responses }: Described,
  resolve: (schema?: Schema) => Schema,
): ClientOperation | null => {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  if ('text/event-stream' in content) return null;
  const { properties = {}, required = [] } = resolve(requestBody?.content[JSON_TYPE]?.schema);
  const body = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    place: 'body' as const,
  }));
  const elsewhere = parameters
    // Fields of another media type's body stand in the JSON body as well.
    .filter(({ in: place, name }) => (place === 'path' || place === 'query') && properties[name] === undefined)
    .map(({ name, in: place, required: isRequired, schema, description }) => ({
      name,
      isRequired,
      place: place as 'path' | 'query',
      schema: { ...schema, ...(description !== undefined && { description }) },
    }));
  return {
    name: operationId,
    summary,
    method,
    path,
    hasBody,
    isIdempotent: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey') ?? false),
    fields: [...elsewhere, ...body],
    reply: ('*/*' in content ? null : content[JSON_TYPE]?.schema) ?? null,
  };
};

/** The named schemas that some lead to, by name. */
export const reachableFrom = (roots: unknown, schemas: Record<string, Schema>): Record<string, Schema> => {
  const found: Record<string, Schema> = {};
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key !== '$ref') visit(each);
      else {
        const name = nameOfReference(String(each));
        const schema = schemas[name];
        if (found[name] !== undefined || schema === undefined) continue;
        found[name] = schema;
        visit(schema);
      }
    }
  };
  visit(roots);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
};

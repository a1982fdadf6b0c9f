/** Converts zod schemas to component schemas of an OpenAPI 3.1 document. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { namedSchemas } from '../../../kernel/schema-names.ts';

export type Json = Record<string, unknown>;

type Io = 'input' | 'output';

const PREFIX = '#/components/schemas/';

export const referTo = (name: string): Json => ({ $ref: `${PREFIX}${name}` });

/** The pattern of a named format has no use for generators or readers. */
const tidy = (io: Io, schema: Json): void => {
  delete schema.$schema;
  delete schema.$id;
  if (typeof schema.format === 'string') delete schema.pattern;
  // zod bounds integers by a double's exact range.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // Generators treat a field with a default as always present, but a request may omit it.
  if (io === 'input' && schema.default !== undefined) {
    const written = `Default: \`${JSON.stringify(schema.default)}\`.`;
    schema.description = schema.description === undefined ? written : `${schema.description}. ${written}`;
    delete schema.default;
  }
  // A reply may have more fields in a later version.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
};

/** Every schema of one direction by its name, each referring to the others by theirs. */
const convert = (schemas: ReadonlyMap<z.ZodType, string>, io: Io): Record<string, Json> => {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of schemas) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => `${PREFIX}${id}`,
    override: ({ jsonSchema }) => tidy(io, jsonSchema as Json),
  });
  for (const schema of Object.values(converted.schemas)) tidy(io, schema as Json);
  return converted.schemas as Record<string, Json>;
};

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member.slice(PREFIX.length)] : referencesIn(member),
  );
};

/** The schemas `roots` and all that they refer to. */
const reachable = (roots: Iterable<string>, schemas: Record<string, Json>): Record<string, Json> => {
  const found: Record<string, Json> = {};
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (name in found || schema === undefined) return;
    found[name] = schema;
    for (const next of referencesIn(schema)) visit(next);
  };
  for (const name of roots) visit(name);
  return found;
};

/**
 * @param inputs what is sent,
 * @param outputs what is answered, each schema with its name
 * @throws where one name has two forms
 */
export const componentSchemas = (
  inputs: ReadonlyMap<z.ZodType, string>,
  outputs: ReadonlyMap<z.ZodType, string>,
): Record<string, Json> => {
  const of = (io: Io, roots: ReadonlyMap<z.ZodType, string>) =>
    reachable(roots.values(), convert(new Map([...namedSchemas(), ...roots]), io));
  const [sent, answered] = [of('input', inputs), of('output', outputs)];
  for (const [name, schema] of Object.entries(sent)) {
    if (name in answered && !isDeepStrictEqual(schema, answered[name])) {
      throw new Error(`The schema ${name} has another form in requests than in replies: give it two names.`);
    }
  }
  return Object.fromEntries(Object.entries({ ...sent, ...answered }).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The fields of an input as parameters: inline, with their defaults. */
export const parameterSchemas = (input: z.ZodType): { properties: Record<string, Json>; required: string[] } => {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  for (const schema of Object.values(properties)) tidy('output', schema as Json);
  return { properties: properties as Record<string, Json>, required };
};

/**
 * JSON Schemas of tools, from the contracts. An agent pays for every byte of the list in each conversation, so only
 * keywords needed for a correct call are kept; dispatch validates against the whole schema.
 */

import { z } from 'zod';
import type { Operation } from '../../../kernel/operation.ts';
import { untrustedFields, untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

export type JsonSchema = { type?: string | string[]; [keyword: string]: unknown };
export type ObjectSchema = JsonSchema & { type: 'object'; properties: Record<string, JsonSchema> };

/** A tool's answer in place of bytes. */
export const bytesShape = z.object({
  filename: untrustedText(z.string()),
  content_type: z.string(),
  size: z.int(),
  /** Null beyond the limit. */
  content_base64: z.string().nullable(),
  uri: z.string(),
  /** Replaces the two above: the content as text. */
  text: untrustedText(z.string()).optional(),
});

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withoutUntrusted }) as JsonSchema;

/** An untrusted field is null in a tool's answer: its text stands in a block of its own. */
const withoutUntrusted = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void => {
  if (!untrustedFields.has(zodSchema)) return;
  for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[keyword];
  Object.assign(jsonSchema, { type: ['string', 'null'] });
};

/** @returns an object's schema by its own field names */
export const toInputSchema = ({ input }: Operation): ObjectSchema => {
  const { properties, required } = asObject(toJsonSchema(input));
  return {
    type: 'object',
    properties: mapValues(properties, compact),
    ...(required.length > 0 && { required }),
  };
};

/** @throws for a schema of another kind: what a tool takes and gives is an object */
const asObject = (schema: JsonSchema): { properties: Record<string, JsonSchema>; required: string[] } => {
  if (schema.type !== 'object') throw new Error('What a tool takes and gives is an object.');
  return {
    properties: (schema.properties ?? {}) as Record<string, JsonSchema>,
    required: (schema.required ?? []) as string[],
  };
};

const mapValues = <T, U>(record: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));

/** Keywords that tell a caller what to give. A refusal explains the others (lengths, patterns of formats). */
const SAID = ['type', 'description', 'enum', 'const', 'required', 'minItems'] as const;
/** A smaller limit of a list is included. */
const FEW_ITEMS = 100;
const MAX_PATTERN = 60;

const compact = (schema: JsonSchema): JsonSchema => {
  const { pattern, format, maximum, minimum, maxItems, default: otherwise, properties, items, anyOf: members } = schema;
  return {
    ...Object.fromEntries(SAID.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...(format === 'date-time' && { format }),
    ...(format === undefined && typeof pattern === 'string' && pattern.length <= MAX_PATTERN && { pattern }),
    // A minimum of 0 or 1 is left out, and so are the bounds of a double's exact integers, which zod adds.
    ...(typeof minimum === 'number' && minimum > 1 && { minimum }),
    ...(typeof maximum === 'number' && Number.isSafeInteger(maximum + 1) && { maximum }),
    ...(typeof maxItems === 'number' && maxItems <= FEW_ITEMS && { maxItems }),
    ...(isWorthSaying(otherwise) && { default: otherwise }),
    ...(properties !== undefined && { properties: mapValues(properties as Record<string, JsonSchema>, compact) }),
    ...(items !== undefined && { items: compact(items as JsonSchema) }),
    ...(members !== undefined && { anyOf: (members as JsonSchema[]).map(compact) }),
  };
};

/** A reader assumes false, an empty string or an empty list as the default. */
const isWorthSaying = (otherwise: unknown): boolean =>
  Boolean(otherwise) && !(Array.isArray(otherwise) && otherwise.length === 0);

/** Longer lists of values are left to a refusal. */
const FEW_WORDS = 8;
/** Longer descriptions are left to find_tools. */
const FEW_CHARS = 32;

/**
 * The minimum of a schema. `all`, for the list of all tools: types without descriptions. `some`: types and short
 * descriptions.
 */
export const toBrief = <S extends JsonSchema>(schema: S, of: 'all' | 'some'): S => {
  const { type: types, description, properties, items, anyOf: members, required, enum: words } = schema;
  const type = Array.isArray(types) ? types.find((each) => each !== 'null') : types;
  const [sole, ...more] = ((members ?? []) as JsonSchema[]).filter((each) => each.type !== 'null');
  const described = of === 'some' &&
    typeof description === 'string' &&
    description.length <= FEW_CHARS && { description };
  if (sole && more.length === 0) return { ...toBrief(sole, of), ...described } as S;
  const told = Array.isArray(words) && words.length <= FEW_WORDS && { enum: words };
  return {
    // Gemini and Kimi refuse a whole list for one field without a type.
    ...(type !== undefined && { type }),
    ...told,
    ...described,
    // OpenAI refuses a tool that takes nothing unless it says so.
    ...(properties !== undefined && {
      properties: mapValues(properties as Record<string, JsonSchema>, (each) => toBrief(each, of)),
    }),
    ...(items !== undefined && { items: toBrief(items as JsonSchema, of) }),
    ...(sole && { anyOf: [sole, ...more].map((each) => toBrief(each, of)) }),
    ...(required !== undefined && { required }),
  } as unknown as S;
};

/** A smaller shape is not worth a reference. */
const LEAST_SHARED = 80;

/**
 * A shape shared by several tools stands in the first; the others refer to that tool. The same words about an argument
 * of that name stand in the first alone.
 */
export const withShapesOnce = <T extends { name: string; inputSchema: ObjectSchema }>(tools: readonly T[]): T[] => {
  const tellers = new Map<string, string>();
  const share = (tool: string, schema: JsonSchema): JsonSchema => {
    const text = JSON.stringify(schema);
    if (schema.type !== 'array' || text.length < LEAST_SHARED) return schema;
    const teller = tellers.get(text);
    if (teller === undefined) tellers.set(text, tool);
    if (teller === undefined || teller === tool) return schema;
    // Clients refuse a list without its items.
    const { type } = schema.items as JsonSchema;
    return { type: 'array', items: { type }, description: `As in ${teller}` };
  };
  const said = new Set<string>();
  const sayOnce = (name: string, schema: JsonSchema): JsonSchema => {
    const { description, ...wordless } = schema;
    const words = `${name}: ${description}`;
    const isSaid = description !== undefined && said.has(words);
    said.add(words);
    return isSaid ? wordless : schema;
  };
  return tools.map((tool) => ({
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      ...(tool.inputSchema.properties && {
        properties: mapValues(tool.inputSchema.properties, (schema, name) => share(tool.name, sayOnce(name, schema))),
      }),
    },
  }));
};

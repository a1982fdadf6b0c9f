/** Walks zod schemas through their wrappers (optional, nullable, default), fields and items. */

import { z } from 'zod';

/** Returns the schema and those that it wraps, outermost first. An array has items instead of a wrapped schema. */
const layersOf = (schema: z.ZodType): z.ZodType[] => {
  const isWrapper = 'unwrap' in schema && !(schema instanceof z.ZodArray);
  return isWrapper ? [schema, ...layersOf((schema as z.ZodOptional<z.ZodType>).unwrap())] : [schema];
};

/** Returns the schema without its wrappers. */
export const bareSchema = (schema: z.ZodType): z.ZodType => layersOf(schema).at(-1) ?? schema;

/** Returns the fields of an object by name; empty for any other schema. */
export const fieldsOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> => {
  const bare = bareSchema(schema);
  return bare instanceof z.ZodObject ? (bare.shape as Record<string, z.ZodType>) : {};
};

/** Returns the schema of an array's items; undefined for any other schema. */
export const itemOf = (schema: z.ZodType): z.ZodType | undefined => {
  const bare = bareSchema(schema);
  return bare instanceof z.ZodArray ? (bare.element as z.ZodType) : undefined;
};

/** Returns the schema of the value under `key`: a field, an item or a record's value; undefined without one. */
export const childOf = (schema: z.ZodType, key: PropertyKey): z.ZodType | undefined => {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodRecord) return bare.valueType as z.ZodType;
  const fields = fieldsOf(bare);
  return itemOf(bare) ?? (Object.hasOwn(fields, key) ? fields[key as string] : undefined);
};

/** Returns the first defined result of `pick` over the schema and those that it wraps. */
export const pickLayer = <T>(schema: z.ZodType, pick: (layer: z.ZodType) => T | undefined): T | undefined => {
  for (const layer of layersOf(schema)) {
    const picked = pick(layer);
    if (picked !== undefined) return picked;
  }
  return undefined;
};

/** A path through a schema: the names of fields, `*` for every item of an array. */
export type SchemaPath = readonly string[];

/**
 * Returns all results of `pick` over a schema and its descendants, in field order; of a union, those of each member.
 * Does not descend below a picked schema.
 */
export const pickAll = <T>(
  schema: z.ZodType,
  pick: (layer: z.ZodType) => T | undefined,
  path: SchemaPath = [],
): { path: SchemaPath; picked: T }[] => {
  const picked = pickLayer(schema, pick);
  if (picked !== undefined) return [{ path, picked }];
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodUnion) return (bare.options as z.ZodType[]).flatMap((each) => pickAll(each, pick, path));
  const item = itemOf(schema);
  if (item) return pickAll(item, pick, [...path, '*']);
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => pickAll(field, pick, [...path, name]));
};

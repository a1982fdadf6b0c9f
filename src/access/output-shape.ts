/** Reduces a handler's answer to the fields of its contract, at every depth. */

import { z } from 'zod';

type Shape = (value: unknown) => unknown;

/** The values of these schemas go out as they are. */
const LEAVES = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodNull,
  z.ZodUnknown,
] as const;

/** A check that changes the value, as `trim` does. */
const isChanging = (schema: z.ZodType): boolean =>
  (schema.def as { checks?: { _zod: { def: { check: string } } }[] }).checks?.some(
    ({ _zod: { def } }) => def.check === 'overwrite',
  ) ?? false;

const ofFields = (schema: z.ZodObject): Shape => {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(
    ([name, field]) => [name, compile(field)] as const,
  );
  return (value) => {
    const given = value as Record<string, unknown>;
    const shaped: Record<string, unknown> = {};
    for (const [name, shape] of fields) {
      const field = given[name];
      if (field !== undefined) shaped[name] = shape ? shape(field) : field;
    }
    return shaped;
  };
};

/** Null: the value goes out as it is. A schema without a rule here is parsed instead. */
const compile = (schema: z.ZodType): Shape | null => {
  const parsed: Shape = (value) => schema.parse(value);
  if (isChanging(schema)) return parsed;
  if (LEAVES.some((leaf) => schema instanceof leaf)) return null;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const inner = compile(schema.unwrap() as z.ZodType);
    return inner && ((value) => (value === null || value === undefined ? value : inner(value)));
  }
  if (schema instanceof z.ZodArray) {
    const item = compile(schema.element as z.ZodType);
    return item && ((value) => (value as unknown[]).map(item));
  }
  if (schema instanceof z.ZodUnion) {
    return (schema.options as z.ZodType[]).every((option) => compile(option) === null) ? null : parsed;
  }
  if (schema instanceof z.ZodObject && !schema.def.catchall) return ofFields(schema);
  return parsed;
};

const shapes = new WeakMap<z.ZodType, Shape>();

/** Keeps the fields that the contract names; does not check their values. */
export const shapeOutput = (schema: z.ZodType, value: unknown): unknown => {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    shape = compile(schema) ?? ((same) => same);
    shapes.set(schema, shape);
  }
  return shape(value);
};

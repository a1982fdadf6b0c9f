/** An optional field may be null, which says as much as leaving it out. */

import { z } from 'zod';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unwrapped = (schema: z.ZodType | undefined): z.ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;

/** Whether null stands for nothing there: a field that may be left out, and to which null is no value. */
const isLeftOut = (schema: z.ZodType | undefined): boolean => schema?.isOptional() === true && !schema.isNullable();

/** The same input without the optional fields that are null, in objects and lists of objects as the schema has them. */
export const withoutOptionalNulls = (schema: z.ZodType | undefined, value: unknown): unknown => {
  const known = unwrapped(schema);
  if (known instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutOptionalNulls(known.element as z.ZodType, item));
  }
  if (!(known instanceof z.ZodObject) || !isRecord(value)) return value;
  const shape = known.shape as Record<string, z.ZodType | undefined>;
  const fieldOf = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => field !== null || !isLeftOut(fieldOf(name)))
      .map(([name, field]) => [name, withoutOptionalNulls(fieldOf(name), field)]),
  );
};

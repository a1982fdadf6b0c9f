/** In an optional field, null means that the field is left out. */

import type { z } from 'zod';
import { isJsonObject } from '../kernel/json-object.ts';
import { fieldCodes } from '../kernel/operation.ts';
import { fieldsOf, itemOf, pickLayer } from '../kernel/schema-walk.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && !ArrayBuffer.isView(value);

/** Whether null means left out: the field is optional, and null is no value of it. */
const isLeftOut = (schema: z.ZodType | undefined): boolean =>
  schema?.isOptional() === true && !schema.isNullable() && !pickLayer(schema, (layer) => fieldCodes.get(layer)?.null);

/** Removes optional fields that are null, in objects and lists of objects. */
export const withoutOptionalNulls = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => withoutOptionalNulls(itemOf(schema), item));
  if (!isRecord(value)) return value;
  const given = Object.entries(fieldsOf(schema)).filter(([name]) => Object.hasOwn(value, name));
  if (given.length === 0) return value;
  const own = { ...value };
  for (const [name, field] of given) {
    if (own[name] === null && isLeftOut(field)) delete own[name];
    else own[name] = withoutOptionalNulls(field, own[name]);
  }
  return own;
};

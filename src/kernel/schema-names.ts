/** Names of schemas: the OpenAPI document has each once, under its name, and refers to it. */

import type { z } from 'zod';

const names = new Map<z.ZodType, string>();

/** Gives a schema its name: `named('Message', z.object(…))`. What is made from it (`extend`, `nullable`) has none. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => {
  names.set(schema, name);
  return schema;
};

export const nameOfSchema = (schema: z.ZodType): string | undefined => names.get(schema);
export const namedSchemas = (): ReadonlyMap<z.ZodType, string> => names;

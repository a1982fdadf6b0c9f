/** Names of schemas: the OpenAPI document contains each named schema once and refers to it by name. */

import type { z } from 'zod';

const names = new Map<z.ZodType, string>();

/** Names a schema: `named('Message', z.object(…))`. Derived schemas (`extend`, `nullable`) have no name. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => {
  names.set(schema, name);
  return schema;
};

export const nameOfSchema = (schema: z.ZodType): string | undefined => names.get(schema);
export const namedSchemas = (): ReadonlyMap<z.ZodType, string> => names;

/** What is known of a schema beside its form: its name in the OpenAPI document, and that no hint repeats its value. */

import { z } from 'zod';

const names = new Map<z.ZodType, string>();

/**
 * The OpenAPI document contains a named schema once, and refers to it: `named('Message', z.object(…))`. Derived schemas
 * (`extend`, `nullable`) have no name.
 */
export const named = <S extends z.ZodType>(name: string, schema: S): S => {
  names.set(schema, name);
  return schema;
};

export const nameOfSchema = (schema: z.ZodType): string | undefined => names.get(schema);
export const namedSchemas = (): ReadonlyMap<z.ZodType, string> => names;

/** Inputs with values that no hint repeats. */
export const sensitiveInputs: z.core.$ZodRegistry<{ sensitive: true }> = z.registry<{ sensitive: true }>();

export const sensitive = <S extends z.ZodType>(schema: S): S => {
  sensitiveInputs.add(schema, { sensitive: true });
  return schema;
};

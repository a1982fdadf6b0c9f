/** Output fields whose text an outside sender wrote. */

import { z } from 'zod';

/** The presentation of such a field in a tool's result. */
export interface Untrusted {
  /** `text`: a block of its own. `short`: in one JSON block with the other short fields. */
  form: 'text' | 'short';
  /** The argument and its value with which a tool includes the field, and whether that is the default; null: always. */
  shownFor: { argument: string; value: string; isDefault: boolean } | null;
}

export const untrustedFields: z.core.$ZodRegistry<Untrusted> = z.registry<Untrusted>();

/** Marks a text as untrusted: a tool returns it in a block of its own, and null in its place. */
export const untrustedText = <S extends z.ZodType>(schema: S, shownFor: Untrusted['shownFor'] = null): S => {
  untrustedFields.add(schema, { form: 'text', shownFor });
  return schema;
};

/** Marks a short text as untrusted, such as a snippet or the value of a header field. */
export const untrustedShort = <S extends z.ZodType>(schema: S): S => {
  untrustedFields.add(schema, { form: 'short', shownFor: null });
  return schema;
};

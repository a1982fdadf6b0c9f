/** Output fields whose text an outside sender wrote. */

import { z } from 'zod';

/** How a tool gives an output field whose text an outside sender wrote. */
export interface Untrusted {
  /** `text`: in a block of its own. `short`: with the others of the answer, as JSON in one block. */
  form: 'text' | 'short';
  /** The argument and its value by which a tool shows the field, and whether it does without; null: it always does. */
  shownFor: { argument: string; value: string; isDefault: boolean } | null;
}

export const untrustedFields: z.core.$ZodRegistry<Untrusted> = z.registry<Untrusted>();

/** Marks a text as untrusted: a tool gives it in a block of its own, and null in its place. */
export const untrustedText = <S extends z.ZodType>(schema: S, shownFor: Untrusted['shownFor'] = null): S => {
  untrustedFields.add(schema, { form: 'text', shownFor });
  return schema;
};

/** The same of a few words, such as a snippet or the value of a header field. */
export const untrustedShort = <S extends z.ZodType>(schema: S): S => {
  untrustedFields.add(schema, { form: 'short', shownFor: null });
  return schema;
};

/** Output fields whose text somebody else than the caller wrote: an outside sender, or a colleague. */

import { z } from 'zod';

/** The presentation of such a field in a tool's result. */
export interface Untrusted {
  /** `text`: a block of its own. `short`: in one JSON block with the other short fields. */
  form: 'text' | 'short';
  /** The argument and its value with which a tool includes the field, and whether that is the default; null: always. */
  shownFor: { argument: string; value: string; isDefault: boolean } | null;
  /** What colleagues wrote down, or took over from outsiders; left out: an outside sender's. */
  by?: 'others';
}

export const untrustedFields: z.core.$ZodRegistry<Untrusted> = z.registry<Untrusted>();

/** Marks a text as untrusted: a tool returns it in a block of its own, and null in its place. */
export const untrustedText = <S extends z.ZodType>(
  schema: S,
  shownFor: Untrusted['shownFor'] = null,
  by?: 'others',
): S => {
  untrustedFields.add(schema, { form: 'text', shownFor, ...(by && { by }) });
  return schema;
};

/** Marks a short text as untrusted, such as a snippet or the value of a header field. */
export const untrustedShort = <S extends z.ZodType>(schema: S, by?: 'others'): S => {
  untrustedFields.add(schema, { form: 'short', shownFor: null, ...(by && { by }) });
  return schema;
};

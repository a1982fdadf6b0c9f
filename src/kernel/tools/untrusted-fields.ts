/**
 * Marks output fields with text that the caller did not write, but an outside sender, a colleague, a page or a server.
 */

import { z } from 'zod';

/**
 * The author of a field. `sender`: of the mail that holds it, which may be the caller itself. `others`: colleagues,
 * who may quote outsiders. `you`: the caller, who may quote outsiders.
 */
export type Writer = 'sender' | 'others' | 'source' | 'endpoint' | 'zone' | 'you';

/** The presentation of such a field in a tool's result. */
export interface Untrusted {
  /** `excerpt`: shortened in long lists. `named`: in `Name <a@b>` only the name is untrusted. */
  form: 'text' | 'excerpt' | 'named';
  by: Writer;
  /** The argument and value with which a tool shows the field, and whether that is the default; null: always shown. */
  shownFor: { argument: string; value: string; isDefault: boolean } | null;
}

export const untrustedFields: z.core.$ZodRegistry<Untrusted> = z.registry<Untrusted>();

const mark = <S extends z.ZodType>(schema: S, untrusted: Untrusted): S => {
  untrustedFields.add(schema, untrusted);
  return schema;
};

/** Marks a text, or a list of texts, as untrusted: it stands in the fenced block of a tool's answer. */
export const untrustedText = <S extends z.ZodType>(
  schema: S,
  by: Writer = 'sender',
  shownFor: Untrusted['shownFor'] = null,
): S => mark(schema, { form: 'text', by, shownFor });

/** Marks a snippet, which a long list shortens. */
export const untrustedExcerpt = <S extends z.ZodType>(schema: S, by: Writer = 'sender'): S =>
  mark(schema, { form: 'excerpt', by, shownFor: null });

/** Marks `Name <a@b>`, or a list of them. */
export const namedAddress = <S extends z.ZodType>(schema: S): S =>
  mark(schema, { form: 'named', by: 'sender', shownFor: null });

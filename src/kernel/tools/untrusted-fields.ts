/** Marks output fields with text that the caller did not write: an outside sender, a colleague, a page or a server did. */

import { z } from 'zod';

/**
 * Who wrote a field. `sender`: of the mail that it stands in, which is the caller itself in mail that it sent. `others`:
 * colleagues, who may have it from outsiders. `you`: the caller, who may quote outsiders.
 */
export type Writer = 'sender' | 'others' | 'source' | 'endpoint' | 'you';

/** The presentation of such a field in a tool's result. */
export interface Untrusted {
  /** `excerpt`: cut where many of them stand in a list. `named`: of `Name <a@b>` the name alone is untrusted. */
  form: 'text' | 'excerpt' | 'named';
  by: Writer;
  /** The argument and its value with which a tool includes the field, and whether that is the default; null: always. */
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

/** Marks a snippet, of which a long list shows less. */
export const untrustedExcerpt = <S extends z.ZodType>(schema: S, by: Writer = 'sender'): S =>
  mark(schema, { form: 'excerpt', by, shownFor: null });

/** Marks `Name <a@b>`, or a list of them. */
export const namedAddress = <S extends z.ZodType>(schema: S): S =>
  mark(schema, { form: 'named', by: 'sender', shownFor: null });

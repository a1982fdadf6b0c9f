/**
 * How an operation differs as a tool. All of it may be left out: what a tool needs follows from the contract, and these
 * say what a schema cannot.
 */

import { z } from 'zod';

/** The annotations of the protocol, which a client shows a person before a call. */
export interface ToolHints {
  /** It changes nothing but a read mark. */
  readOnly: boolean;
  /** It may take something away or overwrite it. */
  destructive: boolean;
  /** Said twice, it does no more than once. */
  idempotent: boolean;
  /** It reaches others than this service. */
  openWorld: boolean;
}

export interface ToolTerms {
  /** When to use it, after "Use". */
  when?: string;
  /** What comes back, after "Returns"; left out, the names of the output's fields. */
  returns?: string;
  /** Defaults where tokens count. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Arguments that go by another name than their field. Ids are named for their thing without being listed here. */
  rename?: Readonly<Record<string, string>>;
  /** Where they differ from what the method says. */
  hints?: Partial<ToolHints>;
  /** Arguments that the tool has not, because another tool is for them. */
  without?: readonly string[];
  /** Why it is no tool; nothing else is said then. */
  none?: string;
}

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

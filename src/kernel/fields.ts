/** Field schemas that several operations share. */

import { z } from 'zod';
import { type Address, addressKey, type NamedAddress, parseAddress, parseNamedAddress } from './address.ts';
import type { Millis } from './clock.ts';
import type { ErrorCode } from './errors.ts';
import { type Id, parseId } from './ids.ts';
import { field } from './operation.ts';
import { storableText } from './text/clean-text.ts';

/** An input id: a UUID in any letter case. */
export const idInput = <T extends string>() =>
  z.uuid().transform((text, context): Id<T> => {
    const id = parseId<T>(text);
    if (id) return id;
    context.addIssue({ code: 'custom', message: 'Not a UUID' });
    return z.NEVER;
  });

/** An id in the path: text that is no UUID is answered like an unknown id. */
export const pathId = <T extends string>(notFound: ErrorCode) =>
  field({ invalid: notFound, missing: 'invalid_request' }, idInput<T>());

export const idOutput = z.uuid();
export const timeOutput = z.iso.datetime();

/** Epoch milliseconds from any ISO 8601 date-time with a zone. */
export const timeInput = z.iso.datetime({ offset: true }).transform((text): Millis => Date.parse(text));

/** Rows per page. A value above the maximum or below 1 is rejected, not clamped. */
export const limitInput = (maximum: number, otherwise: number) => z.int().min(1).max(maximum).default(otherwise);

/** `next_cursor` of the previous page. */
export const cursorInput = z.string().max(500).optional();
export const nextCursor = z.string().nullable();

/** `a@b` or `Name <a@b>`, at most as long as a line of RFC 5322. */
export const addressInput = field(
  { invalid: 'invalid_email' },
  z
    .string()
    .max(998)
    .transform((text, context): NamedAddress => {
      const parsed = parseNamedAddress(text);
      if (parsed) return parsed;
      context.addIssue({ code: 'custom', message: 'Not an e-mail address' });
      return z.NEVER;
    }),
);

/** A bare address, normalised for look-ups; invalid text is answered like an unknown address. */
export const addressKeyInput = (notFound: ErrorCode, text = z.string().max(320)) =>
  field(
    { invalid: notFound },
    text.transform((value, context): Address => {
      const parsed = parseAddress(value);
      if (parsed) return addressKey(parsed);
      context.addIssue({ code: 'custom', message: 'Not an e-mail address' });
      return z.NEVER;
    }),
  );

/**
 * Invisible characters that change how text reads: direction marks, embeddings, overrides and isolates (UAX #9), and
 * the byte order mark.
 */
const INVISIBLE = /[\p{Bidi_Control}\ufeff]/u;

/** Inputs of prose (mail, long texts, search words): an unpaired surrogate becomes U+FFFD instead of an error. */
export const proseInputs: z.core.$ZodRegistry<{ prose: true }> = z.registry<{ prose: true }>();

export const prose = <S extends z.ZodType>(schema: S): S => {
  proseInputs.add(schema, { prose: true });
  return schema;
};

/** A long text that is not blank. */
export const bodyInput = (maxChars: number) =>
  prose(
    z
      .string()
      .max(maxChars)
      .refine((text) => text.trim() !== '', 'Not empty')
      .transform(storableText),
  );

const oneLine = (maxChars: number) =>
  z
    .string()
    .trim()
    .max(maxChars)
    .refine((text) => !/\p{Cc}/u.test(text), 'One line, without control characters');

/** One line or null; a blank line counts as null. @param toLine its form */
export const nullableLine = (maxChars: number, toLine = (text: string) => text) =>
  oneLine(maxChars)
    .transform((text) => toLine(text) || null)
    .nullable();

/** A one-line name. */
export const lineInput = (maxChars: number) => oneLine(maxChars).min(1);

/** A one-line name that persons see beside others: no invisible characters change how it reads. */
export const shownNameInput = (maxChars: number) =>
  lineInput(maxChars).refine((text) => !INVISIBLE.test(text), 'No invisible characters');

/** Text of several lines that persons see. */
export const shownTextInput = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .refine((text) => !INVISIBLE.test(text) && !/[^\P{Cc}\t\r\n]/u.test(text), 'No invisible characters');

/** A name or an id that a person gives to be looked up; of any form, so that one that is unknown is not found. */
export const lookedUpInput = z.string().max(320);
/** An agent's handle, address or id. */
export const agentInput = lookedUpInput.min(1);
/** A workspace's name, slug or id, as a person's call names it (access/reach.ts). Left out: the owner's own. */
export const workspaceInput = lookedUpInput.min(1).optional();
const MAX_LISTED = 1_000;
/** Input of lists that persons read whole. */
export const wholeListInput = z.strictObject({ limit: limitInput(MAX_LISTED, MAX_LISTED) });

/** 3 to 63 lower-case letters, digits and inner hyphens. */
const HANDLE = /^[a-z0-9]([a-z0-9]|-){1,61}[a-z0-9]$/;
const RESERVED_HANDLES = new Set(
  'postmaster abuse hostmaster webmaster mailer-daemon root admin noreply no-reply fbl'.split(' '),
);
/** Disposable inboxes, return paths, IDNA labels. */
const RESERVED_PREFIXES = ['tmp-', 'b-', 'xn--'];

const isReservedHandle = (text: string): boolean =>
  RESERVED_HANDLES.has(text) || RESERVED_PREFIXES.some((prefix) => text.startsWith(prefix));

/** The hint for a reserved handle of valid form; null where it is not reserved. */
export const reservedHandleHint = (text: string): string | null =>
  HANDLE.test(text) && isReservedHandle(text) ? `The handle \`${text}\` is reserved. Take another one.` : null;

export const isHandle = (text: string): boolean => HANDLE.test(text) && !isReservedHandle(text);

export const handleInput = field(
  { missing: 'handle_required', invalid: 'invalid_handle' },
  z
    .string()
    .superRefine((text, context) => {
      const hint = reservedHandleHint(text);
      if (!isHandle(text))
        context.addIssue({ code: 'custom', message: 'Not a handle', ...(hint && { params: { hint } }) });
    })
    .meta({ pattern: HANDLE.source }),
);

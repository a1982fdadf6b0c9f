/** The refusal of a request that fails its schema: names the field, the value given and the form wanted. */

import type { z } from 'zod';
import { ApiError, type ErrorCode, hintOf } from '../kernel/errors.ts';
import { type FieldCodes, fieldCodes, sensitiveInputs } from '../kernel/operation.ts';
import { childOf, fieldsOf, pickLayer } from '../kernel/schema-walk.ts';

type Issue = z.core.$ZodIssue;

/** Characters of a given value that a hint repeats. */
const MAX_SHOWN = 80;

const WANTED_FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'an ISO 8601 time with its zone, as 2026-11-21T09:00:00Z',
  base64: 'base64, without a data: prefix',
  email: 'an e-mail address, as a@example.com',
};

const UNITS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** A bound with the unit of what it bounds. */
const bound = (least: string, amount: number | bigint, origin: string): string =>
  origin in UNITS ? `has ${least} ${amount} ${UNITS[origin]?.[Number(amount) === 1 ? 0 : 1]}` : `is ${least} ${amount}`;

const wanted = (issue: Issue, value: unknown): string => {
  switch (issue.code) {
    case 'invalid_type': {
      const article = /^[aeio]/.test(issue.expected) ? 'an' : 'a';
      return value === undefined ? `is missing; give ${article} ${issue.expected}` : `is ${article} ${issue.expected}`;
    }
    case 'too_big':
      return bound('at most', issue.maximum, issue.origin);
    case 'too_small':
      return bound('at least', issue.minimum, issue.origin);
    case 'invalid_format':
      return `is ${WANTED_FORMATS[issue.format] ?? `of the form ${issue.format}`}`;
    case 'invalid_value':
      return `is one of ${issue.values.map((each) => JSON.stringify(each)).join(', ')}`;
    default:
      return value === undefined ? 'is missing' : `is refused: ${issue.message}`;
  }
};

const shown = (value: unknown): string => {
  if (value === undefined || (typeof value === 'object' && value !== null)) return '';
  const text = JSON.stringify(value);
  return `, not ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text}`;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((found, key) => (found as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

const listNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Of an operation with more, a document names them. */
const MAX_LISTED = 16;

/** The fields with an unknown one as a word of theirs: `given_name` and `family_name` for `name`; else all, where they are few. */
const nearFields = (
  schema: z.ZodType,
  { keys, path }: { keys: readonly string[]; path: readonly PropertyKey[] },
): string => {
  const object = path.reduce<z.ZodType | undefined>((found, key) => found && childOf(found, key), schema);
  const all = Object.keys(object ? fieldsOf(object) : {});
  const near = all.filter((name) => name.split('_').some((word) => keys.includes(word)));
  const told = near.length > 0 ? near : all.length <= MAX_LISTED ? all : [];
  return told.length === 0 ? '' : `; there ${told.length === 1 ? 'is' : 'are'} ${listNames(told)}`;
};

/** @param value the whole input */
export const toRefusal = (schema: z.ZodType, error: z.ZodError, value: unknown): ApiError => {
  const issue = error.issues[0];
  if (!issue) return new ApiError('invalid_request');
  const at = issue.path.length > 0 ? { field: issue.path.join('.') } : {};
  if (isSensitive(schema, issue.path)) {
    const [field] = issue.path;
    return new ApiError('invalid_request', {
      field: String(field),
      hint: `\`${String(field)}\` has not the form that this operation takes. What was given is not repeated here.`,
    });
  }
  if (issue.code === 'unrecognized_keys') {
    return new ApiError('invalid_request', {
      hint: `There is no field ${listNames(issue.keys)}${nearFields(schema, issue)}.`,
    });
  }
  const { path } = issue;
  const code = findCode(schema, path, value) ?? 'invalid_request';
  const field = path.length > 0 ? `\`${path.join('.')}\`` : 'The input';
  const given = valueAt(value, path);
  if (code === 'invalid_request') {
    return new ApiError(code, { ...at, hint: `${field} ${wanted(issue, given)}${shown(given)}.` });
  }
  // A schema that knows more of the fault than its code tells.
  const own = issue.code === 'custom' ? issue.params?.hint : undefined;
  if (typeof own === 'string') return new ApiError(code, { ...at, hint: own });
  const isNamed = given !== undefined && (path.length > 1 || code === 'invalid_email');
  if (isBlank(given)) return new ApiError(code, { ...at, hint: `${field} is empty. ${hintOf(code)}` });
  return new ApiError(code, { ...at, ...(isNamed && { hint: `${field}${shown(given)}: ${hintOf(code)}` }) });
};

/** Whether the path leads into an input that no hint repeats. */
const isSensitive = (schema: z.ZodType, path: readonly PropertyKey[]): boolean => {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    current = current && childOf(current, key);
    if (current && pickLayer(current, (layer) => sensitiveInputs.get(layer))) return true;
  }
  return false;
};

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** The code that the field has for no value, or none to speak of. */
const codeOf = ({ missing, null: ofNull, empty }: FieldCodes, value: unknown): ErrorCode | undefined => {
  if (value === undefined) return missing;
  if (value === null) return ofNull;
  return isBlank(value) ? empty : undefined;
};

/** The code that the innermost field on the path has of its own. */
const findCode = (schema: z.ZodType, path: readonly PropertyKey[], value: unknown): ErrorCode | undefined => {
  let code: ErrorCode | undefined;
  let current: z.ZodType | undefined = schema;
  for (const key of [...path, null]) {
    const own = current && pickLayer(current, (layer) => fieldCodes.get(layer));
    if (own) code = codeOf(own, value) ?? own.invalid ?? code;
    if (key === null || !current) return code;
    current = childOf(current, key);
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  }
  return code;
};

/** The refusal of a request that fails its schema: names the field, the value given and the form wanted. */

import type { z } from 'zod';
import { ApiError, type ErrorCode, hintOf, statusOf } from '../kernel/errors.ts';
import { type FieldCodes, fieldCodes } from '../kernel/operation.ts';
import { sensitiveInputs } from '../kernel/schema-names.ts';
import { childOf, fieldsOf, pickLayer } from '../kernel/schema-walk.ts';
import { type Fault, toGiven } from '../kernel/text/fault-words.ts';
import { nearest } from '../kernel/text/nearest.ts';

type Issue = z.core.$ZodIssue;

const WANTED_FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'an ISO 8601 time with its zone, as 2026-11-21T09:00:00Z',
  base64: 'base64, without a data: prefix',
  email: 'an e-mail address, as a@example.com',
};

const UNITS: Readonly<Record<string, Fault['unit']>> = { string: 'character', array: 'entry' };

const bound = (allowed: number | bigint, origin: string): Pick<Fault, 'allowed' | 'unit'> => {
  const unit = UNITS[origin];
  return { allowed: Number(allowed), ...(unit && { unit }) };
};

const ruleOf = (issue: Issue, value: unknown): Omit<Fault, 'field' | 'given'> => {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = issue.expected === 'int' ? 'whole number' : issue.expected;
      const allowed = `${/^[aeio]/.test(wanted) ? 'an' : 'a'} ${wanted}`;
      return { rule: value === undefined ? 'missing' : 'type', allowed };
    }
    case 'too_big':
      return { rule: 'at_most', ...bound(issue.maximum, issue.origin) };
    case 'too_small':
      return { rule: 'at_least', ...bound(issue.minimum, issue.origin) };
    case 'invalid_format':
      return { rule: 'format', allowed: WANTED_FORMATS[issue.format] ?? `of the form ${issue.format}` };
    case 'invalid_value':
      return { rule: 'one_of', allowed: issue.values.map((each) => (typeof each === 'bigint' ? Number(each) : each)) };
    default:
      return value === undefined ? { rule: 'missing' } : { rule: 'refused', allowed: issue.message };
  }
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((found, key) => (found as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

/** Fields that a hint lists, and unknown ones; of a longer list of fields it names the nearest alone. */
const MAX_LISTED = 16;

/**
 * The fields that contain the unknown name as a word: `given_name` and `family_name` for `name`. Without one, all
 * fields where they are few, else the nearest.
 */
const nearFields = (schema: z.ZodType, path: readonly PropertyKey[], keys: readonly string[]): string[] => {
  const object = path.reduce<z.ZodType | undefined>((found, key) => found && childOf(found, key), schema);
  const all = Object.keys(object ? fieldsOf(object) : {});
  const near = all.filter((name) => name.split('_').some((word) => keys.includes(word)));
  if (near.length > 0) return near;
  return all.length <= MAX_LISTED ? all : keys.flatMap((key) => nearest(key, all) ?? []);
};

/** @param value the whole input */
export const toRefusal = (schema: z.ZodType, error: z.ZodError, value: unknown): ApiError => {
  const issue = error.issues[0];
  if (!issue) return new ApiError('invalid_request');
  const { path } = issue;
  const field = path.join('.');
  if (isSensitive(schema, path)) {
    return new ApiError('invalid_request', { fault: { field: String(path[0]), rule: 'hidden' } });
  }
  if (issue.code === 'unrecognized_keys') {
    const given = issue.keys.slice(0, MAX_LISTED);
    const fault: Fault = { field, rule: 'unknown', given, allowed: nearFields(schema, path, given) };
    return new ApiError('invalid_request', { fault });
  }
  const found = findCode(schema, path, value) ?? 'invalid_request';
  // A value over its bound is not missing, and what is of another type is no unknown id.
  const isOther =
    issue.code === 'too_big' ? found.endsWith('_required') : issue.code === 'invalid_type' && statusOf(found) === 404;
  const code = isOther ? 'invalid_request' : found;
  const given = valueAt(value, path);
  const told = toGiven(given);
  const about = { field, ...(told !== undefined && { given: told }) };
  if (code === 'invalid_request') return new ApiError(code, { fault: { ...about, ...ruleOf(issue, given) } });
  if (isBlank(given)) return new ApiError(code, { fault: { ...about, rule: 'empty' } });
  const fault: Fault = { ...about, rule: given === undefined ? 'missing' : 'form' };
  // A schema may state a more precise hint than its code has.
  const own = issue.code === 'custom' ? issue.params?.hint : undefined;
  const isNamed = given !== undefined && (path.length > 1 || code === 'invalid_email');
  const hint = typeof own === 'string' ? own : isNamed ? null : hintOf(code);
  return new ApiError(code, { fault, ...(hint !== null && { hint }) });
};

/** Whether the path leads into an input that no hint may repeat. */
const isSensitive = (schema: z.ZodType, path: readonly PropertyKey[]): boolean => {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    current = current && childOf(current, key);
    if (current && pickLayer(current, (layer) => sensitiveInputs.get(layer))) return true;
  }
  return false;
};

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** The field's code for a missing, null or blank value. */
const codeOf = ({ missing, null: ofNull, empty }: FieldCodes, value: unknown): ErrorCode | undefined => {
  if (value === undefined) return missing;
  if (value === null) return ofNull;
  return isBlank(value) ? empty : undefined;
};

/** The code of the innermost field on the path that has codes. */
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

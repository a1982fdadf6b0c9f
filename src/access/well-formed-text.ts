/**
 * Refuses unpaired surrogates in input before it is compared, sealed or stored: UTF-8 cannot hold them, so the stored
 * text would differ. In prose they become U+FFFD.
 */

import { z } from 'zod';
import { proseInputs } from '../kernel/fields.ts';
import { childOf, pickLayer } from '../kernel/schema-walk.ts';
import { toRefusal } from './invalid-input.ts';

/** A value within an input, with its path. */
interface Place {
  value: unknown;
  key: string | number;
  within: Place | null;
}

/** Names of a path that a hint shows. */
const MAX_PATH = 8;

const toPath = (place: Place): (string | number)[] => {
  const path: (string | number)[] = [];
  for (let at = place; at.within !== null; at = at.within) path.unshift(at.key);
  return path;
};

/** Finds the ill-formed texts and keys of a value of any depth. */
const findIllFormed = (input: unknown): Place[] => {
  const found: Place[] = [];
  const left: Place[] = [{ value: input, key: '', within: null }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { value } = place;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) found.push(place);
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (!key.isWellFormed()) found.push(place);
        left.push({ value: item, key: Array.isArray(value) ? Number(key) : key, within: place });
      }
    }
  }
  return found;
};

const isProse = (input: z.ZodType, path: readonly (string | number)[]): boolean => {
  const schema = path.reduce<z.ZodType | undefined>((found, key) => found && childOf(found, key), input);
  return schema !== undefined && pickLayer(schema, (layer) => proseInputs.get(layer)) !== undefined;
};

/** The same value with another text at the end of a path. */
const withText = (value: unknown, [key, ...path]: readonly (string | number)[], text: string): unknown => {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? withText(item, path, text) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: withText(fields[key], path, text) };
};

/** @throws ApiError that names the field */
export const withWellFormedText = (input: z.ZodType, value: unknown): unknown => {
  let mended = value;
  for (const place of findIllFormed(value)) {
    const path = toPath(place);
    if (typeof place.value === 'string' && isProse(input, path)) {
      mended = withText(mended, path, place.value.toWellFormed());
      continue;
    }
    const issue = { code: 'custom' as const, path: path.slice(0, MAX_PATH), message: 'it has half of a character' };
    throw toRefusal(input, new z.ZodError([{ ...issue, input: undefined }]), value);
  }
  return mended;
};

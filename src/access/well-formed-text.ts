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
        if (typeof item === 'string' ? item.isWellFormed() : typeof item !== 'object') continue;
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

type Container = Record<string | number, unknown>;

/** The copy of a list or an object in the copy of the whole; each is copied once, however many of its texts are mended. */
const copyOf = (place: Place, copies: Map<Place, Container>): Container => {
  const known = copies.get(place);
  if (known) return known;
  const copy = (Array.isArray(place.value) ? [...place.value] : { ...(place.value as Container) }) as Container;
  if (place.within) copyOf(place.within, copies)[place.key] = copy;
  copies.set(place, copy);
  return copy;
};

/** @throws ApiError that names the field */
export const withWellFormedText = (input: z.ZodType, value: unknown): unknown => {
  const copies = new Map<Place, Container>();
  for (const place of findIllFormed(value)) {
    const path = toPath(place);
    if (typeof place.value === 'string' && place.within && isProse(input, path)) {
      copyOf(place.within, copies)[place.key] = place.value.toWellFormed();
      continue;
    }
    const issue = { code: 'custom' as const, path: path.slice(0, MAX_PATH), message: 'it has half of a character' };
    throw toRefusal(input, new z.ZodError([{ ...issue, input: undefined }]), value);
  }
  // The whole is the first one that is copied.
  return copies.values().next().value ?? value;
};

/** Body templates: a JSON object in whose strings an event's parts are filled in. */

import type { Envelope } from '../events/event-envelope.ts';
import { ApiError } from '../kernel/errors.ts';

const MAX_TEMPLATE_BYTES = 32 * 1024;
/** No receiver wants more, and no stack has to hold it. */
const MAX_DEPTH = 32;
/** A template may name one field a thousand times: what comes out is bounded as well. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Anything that means to be a placeholder. */
const BRACED = /\{\{([^{}]*)\}\}/g;
/** Those there are. Without a quote among them, none of them is more than a part of one string of the JSON text. */
const PLACEHOLDER = /\{\{ *(event|timestamp|id|data\.[A-Za-z0-9_]+) *\}\}/g;
const IS_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`);

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const childrenOf = (value: Json): Json[] =>
  typeof value === 'object' && value !== null ? Object.values<Json>(value as { [key: string]: Json }) : [];

const stringsOf = (value: Json): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
};

/** A level at a time, so that depth costs no stack. */
const requireKnownPlaceholders = (template: Json): void => {
  let level: Json[] = [template];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new ApiError('invalid_template', { hint: `A template nests at most ${MAX_DEPTH} levels.` });
    }
    for (const text of level.flatMap(stringsOf)) {
      const unknown = text.match(BRACED)?.find((braced) => !IS_PLACEHOLDER.test(braced));
      if (unknown) throw new ApiError('invalid_template', { hint: `${unknown.slice(0, 80)} is no placeholder.` });
    }
    level = level.flatMap(childrenOf);
  }
};

/**
 * @param template as it came in JSON
 * @returns its text
 * @throws ApiError invalid_template, template_too_large
 */
export const templateText = (template: Record<string, unknown>): string => {
  requireKnownPlaceholders(template as Json);
  const text = JSON.stringify(template);
  if (Buffer.byteLength(text) > MAX_TEMPLATE_BYTES) throw new ApiError('template_too_large');
  return text;
};

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * Fills a template. Values stand in JSON strings, so they are escaped as such; a field that the event has not is empty,
 * and a list is given with commas.
 * @throws BodyTooLarge
 */
export const fillTemplate = (template: string, { id, event, timestamp, data }: Envelope): Buffer => {
  let room = MAX_BODY_BYTES;
  const fill = (_: string, name: string): string => {
    const field = name.replace(/^data\./, '');
    const given = field === name ? { id, event, timestamp }[name] : Object.hasOwn(data, field) ? data[field] : null;
    // Filled into the JSON text itself: the quotes around it are the template's.
    const value = JSON.stringify(textOf(given)).slice(1, -1);
    room -= Buffer.byteLength(value);
    if (room < 0) throw new BodyTooLarge(`The template makes a body of over ${MAX_BODY_BYTES} bytes`);
    return value;
  };
  return Buffer.from(template.replace(PLACEHOLDER, fill));
};

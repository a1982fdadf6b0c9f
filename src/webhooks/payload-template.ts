/** Body templates: a JSON object with placeholders in its strings for an event's fields. */

import type { Envelope } from '../events/event-envelope.ts';
import { ApiError } from '../kernel/errors.ts';
import { isJsonObject } from '../kernel/json-object.ts';

const MAX_TEMPLATE_BYTES = 32 * 1024;
/** Nesting depth of a template. */
const MAX_DEPTH = 32;
/** A template may repeat a field any number of times, so the filled body has a bound, too. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Anything in double braces. */
const BRACED = /\{\{([^{}]*)\}\}/g;
/** The known placeholders. None contains a quote, so that each lies within one string of the JSON text. */
const PLACEHOLDER = /\{\{ *(event|timestamp|id|data\.[A-Za-z0-9_]+) *\}\}/g;
const IS_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`);

/** Removes the placeholders: an empty value joins the text on both sides, which may form a word. */
export const withoutPlaceholders = (template: string): string => template.replace(PLACEHOLDER, '');

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const childrenOf = (value: Json): Json[] =>
  typeof value === 'object' && value !== null ? Object.values<Json>(value as { [key: string]: Json }) : [];

const stringsOf = (value: Json): string[] => {
  if (typeof value === 'string') return [value];
  return isJsonObject(value) ? Object.keys(value) : [];
};

/** Breadth first, so that depth costs no stack. */
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
 * @param template as parsed from JSON
 * @returns its JSON text
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

const formatText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(formatText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * Fills a template. Values are escaped for JSON strings; a field that the event lacks is empty, a list is joined by
 * commas.
 * @throws BodyTooLarge
 */
export const fillTemplate = (template: string, { id, event, timestamp, data }: Envelope): Buffer => {
  let room = MAX_BODY_BYTES;
  const fill = (_: string, name: string): string => {
    const field = name.replace(/^data\./, '');
    const given = field === name ? { id, event, timestamp }[name] : Object.hasOwn(data, field) ? data[field] : null;
    // Inserted into the JSON text: the quotes around it are the template's.
    const value = JSON.stringify(formatText(given)).slice(1, -1);
    room -= Buffer.byteLength(value);
    if (room < 0) throw new BodyTooLarge(`The template makes a body of over ${MAX_BODY_BYTES} bytes`);
    return value;
  };
  return Buffer.from(template.replace(PLACEHOLDER, fill));
};

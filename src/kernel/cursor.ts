/** Encodes cursors: positions in a list, opaque to the client. */

import { type ApiError, wrongField } from './errors.ts';

type Part = string | number;

export const encodeCursor = (...parts: Part[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

type Kind = 'string' | 'integer' | 'number';

const isOf = (kind: Kind | undefined, part: unknown): boolean =>
  kind === 'integer' ? Number.isSafeInteger(part) : typeof part === kind;

/**
 * Decodes a cursor of a given shape, as in `decodeCursor(text, 'integer', 'string')`.
 * @throws ApiError invalid_request for any other cursor
 */
export const decodeCursor = (text: string, ...shape: Kind[]): Part[] => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts) && parts.length === shape.length && parts.every((part, i) => isOf(shape[i], part))) {
      return parts as Part[];
    }
  } catch {
    // Falls through: the text is no cursor.
  }
  throw invalidCursor();
};

export const invalidCursor = (): ApiError =>
  wrongField('cursor', 'is not one that this list gave: pass `next_cursor` as it came, or none to begin');

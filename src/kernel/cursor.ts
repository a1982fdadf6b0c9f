/** Cursors: where a page ended, opaque to the client. */

import { ApiError } from './errors.ts';

type Part = string | number;

export const encodeCursor = (...parts: Part[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/**
 * Reads a cursor of that shape, as in `decodeCursor(text, 'number', 'string')`.
 * @throws ApiError invalid_request where it is none of ours
 */
export const decodeCursor = (text: string, ...shape: ('string' | 'number')[]): Part[] => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts) && parts.length === shape.length && parts.every((part, i) => typeof part === shape[i])) {
      return parts as Part[];
    }
  } catch {
    // Falls through: what does not parse is no cursor.
  }
  throw invalidCursor();
};

export const invalidCursor = (): ApiError =>
  new ApiError('invalid_request', { hint: '`cursor` is not one that this list gave: pass `next_cursor` as it came.' });

/** Content negotiation (RFC 9110 section 12.5.1): JSON, or one of the streams that an operation offers. */

import { parseMediaType } from '../../kernel/media-type.ts';

/** Ranges of a header that are read; real headers have about five. */
const MAX_RANGES = 20;
const JSON_TYPE = 'application/json';

const qualityOf = (parameters: readonly (readonly [string, string])[]): number => {
  const text = parameters.find(([name]) => name.toLowerCase() === 'q')?.[1];
  const quality = text === undefined ? 1 : Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
};

/** @returns the stream that is named and wanted at least as much as JSON; null: JSON */
export const wantedMediaType = (accept: string | undefined, streams: readonly string[]): string | null => {
  if (accept === undefined || streams.length === 0) return null;
  const qualities = new Map<string, number>();
  for (const range of accept.split(',', MAX_RANGES)) {
    const parsed = parseMediaType(range);
    if (parsed) qualities.set(parsed.type, qualityOf(parsed.parameters));
  }
  const ofJson = qualities.get(JSON_TYPE) ?? 0;
  const wanted = streams
    .map((type) => ({ type, quality: qualities.get(type) ?? 0 }))
    .filter(({ quality }) => quality > 0 && quality >= ofJson)
    .toSorted((a, b) => b.quality - a.quality);
  return wanted[0]?.type ?? null;
};

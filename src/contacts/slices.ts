/** Passes contacts between threads: lines of JSON in slices, each small enough not to block an event loop. */

import { asBuffer } from '../kernel/text/octets.ts';

const LF = 0x0a;
/** Characters of a slice, unless one item has more. */
const MAX_CHARS = 32 * 1024;

/** @param most items of one slice */
export const toSlices = (items: readonly unknown[], most: number): Uint8Array<ArrayBuffer> => {
  const lines: string[] = [];
  let slice: string[] = [];
  let chars = 0;
  const end = (): void => {
    if (slice.length > 0) lines.push(`[${slice.join(',')}]\n`);
    slice = [];
    chars = 0;
  };
  for (const item of items) {
    const json = JSON.stringify(item);
    if (slice.length === most || chars + json.length > MAX_CHARS) end();
    slice.push(json);
    chars += json.length;
  }
  end();
  return new Uint8Array(Buffer.from(lines.join('')));
};

/** Parses one slice after the other, on demand. */
export const readSlices = function* <Item>(slices: Uint8Array): Generator<Item[]> {
  const bytes = asBuffer(slices);
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LF, from);
    yield JSON.parse(bytes.toString('utf8', from, end)) as Item[];
    from = end + 1;
  }
};

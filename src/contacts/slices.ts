/** Passes contacts between threads: lines of JSON in slices, each small enough not to block an event loop. */

import { asBuffer } from '../kernel/text/octets.ts';

const LF = 0x0a;

/** @param size items of one slice */
export const toSlices = (items: readonly unknown[], size: number): Uint8Array<ArrayBuffer> => {
  const lines: string[] = [];
  for (let at = 0; at < items.length; at += size) lines.push(`${JSON.stringify(items.slice(at, at + size))}\n`);
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

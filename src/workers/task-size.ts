/** The size of a task's mail, address book or document, which decides on the group of threads that runs it. */

import type { Task } from './tasks.ts';

const MAGIC = 0xfd2fb528;
/** Octets of the dictionary id and of the content size, by their two-bit flags. */
const DICTIONARY_OCTETS = [0, 1, 2, 4];
const SIZE_OCTETS = [0, 2, 4, 8];

/**
 * Reads the decompressed size of a zstd frame from its header (RFC 8878 section 3.1.1.1).
 * @returns null where the header lacks it
 */
const contentSizeOf = (frame: Uint8Array): number | null => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 18 || view.getUint32(0, true) !== MAGIC) return null;
  const descriptor = view.getUint8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const octets = SIZE_OCTETS[descriptor >> 6] || (isSingle ? 1 : 0);
  // Frames of more than one segment have a window descriptor before it.
  const at = 5 + (isSingle ? 0 : 1) + (DICTIONARY_OCTETS[descriptor & 3] ?? 0);
  if (octets === 1) return view.getUint8(at);
  if (octets === 2) return view.getUint16(at, true) + 256;
  if (octets === 4) return view.getUint32(at, true);
  return octets === 8 ? Number(view.getBigUint64(at, true)) : null;
};

/** What a task holds while it waits for a thread, in octets. */
export const heldOctets = (task: Task): number => ('mime' in task ? task.mime.length : octetsOf(task));

/** In octets; infinite for a compressed message without the size in its frame header. */
export const octetsOf = (task: Task): number => {
  if ('raw' in task) return task.raw.length;
  if ('octets' in task) return task.octets.length;
  if ('text' in task) return task.text.length;
  if ('mime' in task) return contentSizeOf(task.mime) ?? Number.POSITIVE_INFINITY;
  return task.draft.attachments.reduce((sum, { content }) => sum + content.length, task.draft.body.length);
};

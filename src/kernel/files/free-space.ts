/** The free space on the disk of a file or folder, in bytes, without the part reserved for root. */

import { statfs } from 'node:fs/promises';

export const freeSpace = async (path: string): Promise<{ free: number; total: number }> => {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, total: blocks * bsize };
};

/** Warnings about the config that do not prevent the start. */

import { statSync } from 'node:fs';
import type { Config } from '../config/config.ts';

export const warnOfConfig = (config: Config, log: { warn(fields: object, message: string): void }): void => {
  const mode = readOpenMode(config.data_dir);
  if (mode !== null) {
    const fix = `chmod 700 ${config.data_dir}`;
    log.warn({ data_dir: config.data_dir, mode, fix }, 'other users of this machine can enter the data directory');
  }
};

const OTHERS = 0o077;

/** Returns the mode, as `0755`, of a directory that other users may enter or read; null where they may not. */
const readOpenMode = (directory: string): string | null => {
  const { mode } = statSync(directory);
  return (mode & OTHERS) === 0 ? null : (mode & 0o7777).toString(8).padStart(4, '0');
};

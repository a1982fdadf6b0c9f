/** Backups that `postroom backup` wrote anywhere on the machine, noted beside the data for the console. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../json-object.ts';
import { replaceFile } from './replace-file.ts';

export interface NotedBackup {
  file: string;
  octets: number;
  at: number;
}

const NAME = 'backups-written';
const KEPT = 50;

const readLines = (text: string): NotedBackup[] =>
  text.split('\n').flatMap((line) => {
    try {
      const noted: unknown = JSON.parse(line);
      if (!isJsonObject(noted)) return [];
      const { file, octets, at } = noted;
      return typeof file === 'string' && typeof octets === 'number' && typeof at === 'number'
        ? [{ file, octets, at }]
        : [];
    } catch {
      return [];
    }
  });

/** A folder that takes no file loses the note, not the backup. */
export const noteBackup = (dataDir: string, backup: NotedBackup): void => {
  const path = join(dataDir, NAME);
  try {
    let before: NotedBackup[] = [];
    try {
      before = readLines(readFileSync(path, 'utf8'));
    } catch {
      // The first one.
    }
    const lines = [...before, backup].slice(-KEPT).map((each) => `${JSON.stringify(each)}\n`);
    replaceFile(path, lines.join(''), 0o644);
  } catch {
    // As said above.
  }
};

export const readNotedBackups = async (dataDir: string): Promise<NotedBackup[]> =>
  readLines(await readFile(join(dataDir, NAME), 'utf8').catch(() => ''));

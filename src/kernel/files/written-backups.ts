/** Backups that `postroom backup` wrote anywhere on the machine, noted beside the data for the console and the doctor. */

import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isJsonObject } from '../json-object.ts';
import { replaceFile } from './replace-file.ts';

export interface NotedBackup {
  file: string;
  octets: number;
  at: number;
}

const NAME = 'backups-written';
const KEPT = 50;
export const NIGHTLY = /^nightly-\d{8}T\d{6}Z\.zst$/;

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

/** Whether a backup is one of the nightly timer, by its name. */
export const isNightly = ({ file }: Pick<NotedBackup, 'file'>): boolean => NIGHTLY.test(basename(file));

/** Leaves out those that are gone; lists one in an inaccessible folder as noted. */
export const listNotedBackups = async (dataDir: string): Promise<NotedBackup[]> => {
  const noted = readLines(await readFile(join(dataDir, NAME), 'utf8').catch(() => ''));
  const isGone = await Promise.all(
    noted.map(({ file }) =>
      stat(file).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      ),
    ),
  );
  return noted.filter((_, at) => !isGone[at]);
};

/** Verifies and compacts the full-text index's file, beside no other process. */

import { existsSync } from 'node:fs';
import { type Connection, openConnection } from '../open-database.ts';
import {
  createStateReader,
  indexFileOf,
  isBroken,
  openIndexForReading,
  openIndexForWriting,
  removeIndexFile,
} from './index-file.ts';

export interface TextIndexVerdict {
  readonly file: string;
  /** `foreign`: it was made from other data, or by another version. */
  readonly state: 'whole' | 'missing' | 'foreign' | 'damaged';
  /** Texts that are not in it yet. */
  readonly behind: number;
}

const isDamaged = (index: Connection): boolean => {
  const [line] = index.pragma('integrity_check(1)') as { integrity_check: string }[];
  return line?.integrity_check !== 'ok';
};

/** Changes nothing. */
export const verifyTextIndex = (dataFile: string): TextIndexVerdict => {
  const file = indexFileOf(dataFile);
  const data = openConnection(dataFile, 'read');
  try {
    const count = data.prepare<[number], number>('select count(*) from message_texts where seq > ?').pluck();
    const behind = (position: number): number => count.get(position) ?? 0;
    if (!existsSync(file)) return { file, state: 'missing', behind: behind(0) };
    const index = openIndexForReading(dataFile);
    if (index === null) return { file, state: 'foreign', behind: behind(0) };
    try {
      if (isDamaged(index)) return { file, state: 'damaged', behind: behind(0) };
      const state = createStateReader(data, index)();
      return { file, state: state ? 'whole' : 'foreign', behind: behind(state?.position ?? 0) };
    } catch (error) {
      if (!isBroken(error)) throw error;
      return { file, state: 'damaged', behind: behind(0) };
    } finally {
      index.close();
    }
  } finally {
    data.close();
  }
};

/** Writes the index anew without what was removed; one that is damaged is removed, and made again at the next start. */
export const compactTextIndex = (dataFile: string): void => {
  if (!existsSync(indexFileOf(dataFile))) return;
  let index: Connection | null = null;
  try {
    index = openIndexForWriting(dataFile);
    if (isDamaged(index)) {
      removeIndexFile(dataFile);
      return;
    }
    index.exec("insert into message_index (message_index) values ('optimize')");
    index.exec('vacuum');
    index.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isBroken(error)) throw error;
    removeIndexFile(dataFile);
  } finally {
    index?.close();
  }
};

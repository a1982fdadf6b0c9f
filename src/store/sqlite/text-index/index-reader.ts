/** The full-text index as a search thread reads it: opened again wherever the indexer has made a new one. */

import { statSync } from 'node:fs';
import type { Connection } from '../open-database.ts';
import { createStateReader, indexFileOf, isBroken, openIndexForReading } from './index-file.ts';

/** The index at one moment. */
export interface ReadableIndex {
  /** All texts up to it are in the index. */
  readonly position: number;
  /** Numbers of the window's texts that match, newest first. @throws where the file is damaged: {@link isBroken} */
  find(match: string, below: number, downTo: number): IterableIterator<number>;
}

export interface IndexReader {
  /** Null where none can be used: then every text is read. */
  current(): ReadableIndex | null;
  /** Leaves this file alone from now on. */
  giveUp(): void;
}

interface OpenIndex {
  readonly connection: Connection;
  readonly readState: ReturnType<typeof createStateReader>;
  readonly find: ReadableIndex['find'];
}

const FIND = `select rowid from message_index where message_index match ? and rowid < ? and rowid >= ?
  order by rowid desc`;

/** A new file of the same name differs here, even with the same inode. */
const identify = (file: string): string | null => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.birthtimeMs}` : null;
};

export const createIndexReader = (dataFile: string, data: Connection): IndexReader => {
  let identity: string | null = null;
  let open: OpenIndex | null = null;

  const close = (): void => {
    open?.connection.close();
    open = null;
  };

  const openAgain = (): OpenIndex | null => {
    const connection = openIndexForReading(dataFile);
    if (connection === null) return null;
    const statement = connection.prepare<[string, number, number], number>(FIND).pluck();
    const find = (match: string, below: number, downTo: number) => statement.iterate(match, below, downTo);
    return { connection, readState: createStateReader(data, connection), find };
  };

  return {
    current: () => {
      try {
        const found = identify(indexFileOf(dataFile));
        if (found !== identity) {
          close();
          open = found === null ? null : openAgain();
          // A file that could not be opened is tried again: the indexer may be about to fill it.
          identity = open ? found : null;
        }
        const state = open?.readState();
        return open && state ? { position: state.position, find: open.find } : null;
      } catch (error) {
        if (!isBroken(error)) throw error;
        close();
        return null;
      }
    },
    giveUp: close,
  };
};

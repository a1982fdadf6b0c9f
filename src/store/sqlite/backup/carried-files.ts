/** Files that a backup carries beside the data, in a table that only backups have. */

import Database from 'better-sqlite3';

/**
 * `config`: the config. `key`: the vault's key, sealed by a passphrase. `data`: a file below the data directory.
 * `path`: a file that the config names by an absolute path.
 */
export interface CarriedFile {
  readonly kind: 'config' | 'key' | 'data' | 'path';
  readonly name: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

const TABLE = 'carried_files';

/** @param carried one after the other: together they may be larger than the memory */
export const addCarriedFiles = (file: string, carried: Iterable<CarriedFile>): void => {
  const connection = new Database(file);
  try {
    connection.exec(
      `create table ${TABLE} (kind text not null, name text not null, mode integer not null, bytes blob not null) strict`,
    );
    const insert = connection.prepare(`insert into ${TABLE} values (@kind, @name, @mode, @bytes)`);
    connection.transaction(() => {
      for (const each of carried) insert.run(each);
    })();
  } finally {
    connection.close();
  }
};

/** Takes them out of an unpacked backup. @returns none where it carries none */
export const takeCarriedFiles = (file: string): CarriedFile[] => {
  const connection = new Database(file);
  try {
    if (!connection.prepare('select 1 from sqlite_schema where name = ?').get(TABLE)) return [];
    const carried = connection.prepare(`select kind, name, mode, bytes from ${TABLE}`).all() as CarriedFile[];
    connection.exec(`drop table ${TABLE}`);
    return carried;
  } finally {
    connection.close();
  }
};

/** Verifies a data file: its pages and indexes, the references between rows, its schema. */

import Database from 'better-sqlite3';
import type { SchemaState } from '../migrations/schema-state.ts';
import { readSchemaState } from './migrate.ts';

/** Faults that are reported; one damaged page causes many. */
const MAX_FAULTS = 20;

export interface FileVerdict {
  /** The findings of `pragma integrity_check`; empty: nothing is damaged. */
  damage: string[];
  /** Tables with rows that refer to none. */
  danglingReferences: string[];
  schema: SchemaState;
}

const UNREADABLE: SchemaState = { isNew: false, pending: [], unknown: [], breaking: [] };

/** Reads every page, in a connection of its own; changes nothing. */
export const verifyFile = (file: string): FileVerdict => {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const damage = (connection.pragma(`integrity_check(${MAX_FAULTS})`) as { integrity_check: string }[]).map(
      ({ integrity_check: line }) => line,
    );
    const dangling = connection.pragma('foreign_key_check') as { table: string; parent: string }[];
    return {
      damage: damage.filter((line) => line !== 'ok'),
      danglingReferences: [...new Set(dangling.map(({ table, parent }) => `${table} → ${parent}`))].slice(
        0,
        MAX_FAULTS,
      ),
      schema: readSchemaState(connection),
    };
  } catch (error) {
    // Damage that ends the reading itself.
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(error.code))
      throw error;
    return { damage: [error.message], danglingReferences: [], schema: UNREADABLE };
  } finally {
    connection.close();
  }
};

export const readSchema = (file: string): SchemaState => {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return readSchemaState(connection);
  } finally {
    connection.close();
  }
};

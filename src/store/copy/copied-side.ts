/** One of the two sides of a copy, as an engine has it. */

import type { Millis } from '../../kernel/clock.ts';
import type { NumberedText } from '../mail/message-texts.ts';
import type { SchemaState } from '../migrations/schema-state.ts';
import type { Tx } from '../store.ts';
import type { CopiedRow, CopiedTable, CopiedValue } from './copied-table.ts';

/** Bounds of what is read at once, in rows and octets; one row may have more. */
export const ROWS_AT_ONCE = 500;
export const OCTETS_AT_ONCE = 8 * 1024 * 1024;

/** What a transaction needs that makes an index again. */
export interface IndexTx extends Pick<Tx, 'db' | 'passageIndex'> {
  addTexts(texts: readonly NumberedText[]): Promise<void>;
}
export type IndexName = 'mail' | 'passages' | 'contacts' | 'notes';

export interface CopiedSide {
  /** The location as people read it. */
  readonly name: string;
  schema(): Promise<SchemaState>;
  /** Makes the tables, without any row, and marks them as an unfinished copy. */
  begin(now: Millis): Promise<void>;
  /** The next rows in the order of the key. @param after a row or its key; null: from the first */
  readRows(table: CopiedTable, after: readonly CopiedValue[] | null): Promise<CopiedRow[]>;
  findLastKey(table: CopiedTable): Promise<readonly CopiedValue[] | null>;
  /** All of them or none. */
  insertRows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** The highest number that was ever given to a row of a numbered table; 0: none was. */
  findLastNumber(table: CopiedTable): Promise<bigint>;
  /** Runs `work` in a transaction. */
  index<T>(work: (tx: IndexTx) => Promise<T>): Promise<T>;
  /** The highest row in an index; null: a start of the daemon makes the index. */
  findLastIndexed(index: IndexName): Promise<number | null>;
  /** Numbers go on from these; the mark goes. */
  finish(numbers: ReadonlyMap<CopiedTable, bigint>): Promise<void>;
  close(): Promise<void>;
}

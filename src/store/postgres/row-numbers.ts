/**
 * Numbers of new rows, which the transaction gives by itself while nothing else writes: it waits for no statement that
 * inserts a row.
 */

import type pg from 'pg';

const READ = `select "table", coalesce(pg_sequence_last_value(pg_get_serial_sequence("table", "column")::regclass), 0) as last
  from unnest($1::text[], $2::text[]) as asked ("table", "column")`;
/** A number that a transaction has given is given by no later one, also where the server gives it. */
const KEEP = `select setval(pg_get_serial_sequence("table", "column")::regclass, last)
  from unnest($1::text[], $2::text[], $3::bigint[]) as given ("table", "column", last)`;

interface Numbered {
  readonly table: string;
  readonly column: string;
  /** Null until it is read in this transaction. */
  last: number | null;
  isGiven: boolean;
}

const namesOf = (some: readonly Numbered[]): string[][] => [
  some.map(({ table }) => table),
  some.map(({ column }) => column),
];

/** @param send a statement, behind those that were sent before */
export const createRowNumbers = (
  send: (query: { name: string; text: string; values: unknown[] }) => Promise<pg.QueryResult>,
) => {
  const byTable = new Map<string, Numbered>();
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const asked = [...byTable.values()].filter(({ last }) => last === null);
    const { rows } = await send({ name: 'read_numbers', text: READ, values: namesOf(asked) });
    for (const numbered of asked) numbered.last = rows.find(({ table }) => table === numbered.table).last;
    reading = null;
  };

  return {
    /** Once a transaction has begun: what earlier ones wanted is read at once, beside the first query. */
    begin: (): void => {
      for (const numbered of byTable.values()) Object.assign(numbered, { last: null, isGiven: false });
      reading = byTable.size > 0 ? read() : null;
      reading?.catch(() => undefined);
    },
    next: async (table: string, column: string): Promise<number> => {
      const numbered = byTable.get(table) ?? { table, column, last: null, isGiven: false };
      byTable.set(table, numbered);
      while (numbered.last === null) {
        reading ??= read();
        await reading;
      }
      numbered.isGiven = true;
      numbered.last += 1;
      return numbered.last;
    },
    /** Before the transaction is committed. */
    keep: (): void => {
      const given = [...byTable.values()].filter(({ isGiven }) => isGiven);
      if (given.length === 0) return;
      const values = [...namesOf(given), given.map(({ last }) => last)];
      send({ name: 'keep_numbers', text: KEEP, values }).catch(() => undefined);
    },
  };
};

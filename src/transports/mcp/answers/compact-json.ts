/** JSON for a reader that pays for each character: nothing that is empty, and each name of a list's fields once. */

import { isJsonObject, type JsonObject } from '../../../kernel/json-object.ts';

/** Shorter lists stay as they are. */
const LEAST_ROWS = 3;

/**
 * Leaves out null, and empty text, lists and objects. A list of records becomes `{ each, columns, rows }`: `each` is what
 * all have in common, and the column `flags` names the booleans that are true.
 */
export const compactJson = (value: unknown): string => JSON.stringify(pack(value) ?? {});

const pack = (value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return packList(value.map(pack).filter((item) => item !== undefined));
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .map(([name, field]) => [name, pack(field)] as const)
    .filter(([, field]) => field !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

const packList = (items: unknown[]): unknown => {
  if (items.length === 0) return undefined;
  return items.length >= LEAST_ROWS && items.every(isJsonObject) ? toTable(items) : items;
};

const toTable = (records: readonly JsonObject[]): JsonObject => {
  const count = (name: string) => records.filter((record) => name in record).length;
  const names = [...new Set(records.flatMap(Object.keys))].sort((a, b) => count(b) - count(a));
  const isFlag = (name: string) =>
    records.every(({ [name]: value }) => value === undefined || value === true || value === false);
  const isShared = (name: string) => new Set(records.map((record) => JSON.stringify(record[name]))).size === 1;
  const shared = names.filter((name) => isShared(name) && records[0]?.[name] !== false);
  const flags = names.filter((name) => isFlag(name) && !isShared(name));
  const columns = names.filter((name) => !isFlag(name) && !isShared(name));
  const isTold = flags.length > 0;
  return {
    ...(shared.length > 0 && { each: Object.fromEntries(shared.map((name) => [name, records[0]?.[name]])) }),
    columns: isTold ? [...columns, 'flags'] : columns,
    rows: records.map((record) => {
      const row = columns.map((name) => record[name] ?? '');
      if (isTold) row.push(flags.filter((name) => record[name] === true).join(' '));
      return withoutTrailing(row);
    }),
  };
};

const withoutTrailing = (row: readonly unknown[]): unknown[] =>
  row.slice(0, row.findLastIndex((value) => value !== '') + 1);

/** JSON for a reader that pays per token: without empty values, and with each field name of a list once. */

import { isJsonObject, type JsonObject } from '../../../kernel/json-object.ts';

/** Shorter lists stay as they are. */
const LEAST_ROWS = 3;

/**
 * Leaves out null, and empty text, lists and objects. A list of records becomes `{ each, columns, rows }`: `each` has
 * their common values, and the column `flags` the names of true booleans.
 */
export const compactJson = (value: unknown): string =>
  JSON.stringify({ ...emptyListsOf(value), ...(pack(value) ?? {}) });

/** Empty lists of a listing stay: they say that nothing was found. One record has an id. */
const emptyListsOf = (value: unknown): JsonObject =>
  isJsonObject(value) && !('id' in value)
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => Array.isArray(field) && field.length === 0))
    : {};

const pack = (value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return packList(value.map(pack).filter((item) => item !== undefined));
  let packed: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    const each = pack(field);
    if (each === undefined) continue;
    packed ??= {};
    packed[name] = each;
  }
  return packed;
};

const packList = (items: unknown[]): unknown => {
  if (items.length === 0) return undefined;
  return items.length >= LEAST_ROWS && items.every(isJsonObject) ? toTable(items) : items;
};

const toTable = (records: readonly JsonObject[]): JsonObject => {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const name of Object.keys(record)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const [shared, flags, columns]: [string[], string[], string[]] = [[], [], []];
  for (const name of names) {
    if (isShared(records, name)) {
      if (records[0]?.[name] !== false) shared.push(name);
    } else if (isFlag(records, name)) flags.push(name);
    else columns.push(name);
  }
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

const isFlag = (records: readonly JsonObject[], name: string): boolean =>
  records.every(({ [name]: value }) => value === undefined || value === true || value === false);

/** Whether all records share the value; texts and numbers are compared without serialising. */
const isShared = ([first, ...others]: readonly JsonObject[], name: string): boolean => {
  const value = first?.[name];
  if (typeof value !== 'object') return others.every((record) => record[name] === value);
  const written = JSON.stringify(value);
  return others.every(({ [name]: other }) => typeof other === 'object' && JSON.stringify(other) === written);
};

const withoutTrailing = (row: readonly unknown[]): unknown[] =>
  row.slice(0, row.findLastIndex((value) => value !== '') + 1);

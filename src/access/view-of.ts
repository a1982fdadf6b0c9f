/** Views of stored rows in the interface's shape. A view states only the fields that the row has otherwise. */

import type { z } from 'zod';
import { isoTime, type Millis } from '../kernel/clock.ts';

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

/** The fields of a view as a row has them: in camel case, a time in milliseconds. */
type RowOf<View> = {
  readonly [Name in keyof View as Camel<Name>]: Name extends 'at' | `${string}_at`
    ? Exclude<View[Name], string> | Millis
    : View[Name];
};

const none = () => ({});

/**
 * Makes views by a contract's shape: each field is read from the row's property of the same name in camel case, and a
 * time (`at`, `created_at`) becomes ISO 8601.
 * @param own the fields that the row has under another name, in another form, or not at all
 */
export const viewOf = <
  S extends z.ZodObject,
  Row extends RowOf<Omit<z.output<S>, keyof Own>>,
  Own extends Partial<z.output<S>> = Record<never, never>,
  More extends unknown[] = [],
>(
  { shape }: S,
  own: (row: Row, ...more: More) => Own = none as () => never,
) => {
  const fields = Object.keys(shape).map((name) => ({
    name,
    property: name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    isTime: /(?:^|_)at$/.test(name),
  }));
  return (row: Row, ...more: More): z.output<S> => {
    const view: Record<string, unknown> = {};
    for (const { name, property, isTime } of fields) {
      const value = (row as Record<string, unknown>)[property];
      if (value !== undefined) view[name] = isTime && typeof value === 'number' ? isoTime(value) : value;
    }
    return Object.assign(view, own(row, ...more)) as z.output<S>;
  };
};

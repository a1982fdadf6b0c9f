/** Edits beside concurrent ones: sends only the reader's changes, and overwrites no other change without asking. */

import { useRef } from 'preact/hooks';
import { Failure } from './failure.ts';

const areSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param before the form's first values
 * @param words the form's name for a field, where it differs
 * @returns the reader's changes, null without any; after a conflict was shown, saving again overwrites it
 * @throws Failure changed_meanwhile, by the returned function
 */
export const useEdit = <T extends object>(
  before: T,
  words: Readonly<Record<string, string>> = {},
): ((edited: T, now: T) => Partial<T> | null) => {
  const base = useRef(before);
  return (edited, now) => {
    const names = (Object.keys(edited) as (keyof T & string)[]).filter(
      (name) => !areSame(edited[name], base.current[name]),
    );
    const taken = names.filter((name) => !areSame(now[name], base.current[name]) && !areSame(now[name], edited[name]));
    if (taken.length > 0) {
      base.current = { ...base.current, ...Object.fromEntries(taken.map((name) => [name, now[name]])) };
      throw new Failure(
        409,
        'changed_meanwhile',
        `Another has changed this meanwhile: ${taken.map((name) => words[name] ?? name.replaceAll('_', ' ')).join(', ')}. Save again to replace it, or cancel to see it first.`,
      );
    }
    const change = Object.fromEntries(names.map((name) => [name, edited[name]])) as Partial<T>;
    return names.length > 0 ? change : null;
  };
};

/** The former values of changed fields, which undo the change. */
export const undoOf = <T extends object>(before: T, change: Partial<T>): Partial<T> =>
  Object.fromEntries(Object.entries(before).filter(([name]) => name in change)) as Partial<T>;

/** A fault of an input field, as data; REST, MCP, the CLI and the console each word it. */

import { nearest } from './nearest.ts';

export interface Fault {
  /** A path: `channels.0.value`. Empty: the input as a whole. */
  field: string;
  /**
   * `form`: of another form than the error's code wants. `says`: `allowed` is a clause about the field. `hidden`: not of the
   * form that the operation takes, and not repeated.
   */
  rule:
    | 'missing'
    | 'type'
    | 'format'
    | 'at_most'
    | 'at_least'
    | 'one_of'
    | 'unknown'
    | 'empty'
    | 'form'
    | 'refused'
    | 'says'
    | 'hidden';
  /** Left out where it is no single value; a long text is cut. Of `unknown`: the names. */
  given?: string | number | boolean | null | readonly string[];
  allowed?: string | number | readonly unknown[];
  /** The unit of a bound. */
  unit?: 'character' | 'entry';
}

/** Characters of a given value that a hint repeats, as JSON. */
const MAX_SHOWN = 80;
const CUT = '…';

/** A value as a fault repeats it; undefined: it repeats none. */
export const toGiven = (value: unknown): Fault['given'] => {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'string') return undefined;
  const isShort = value.length <= MAX_SHOWN && JSON.stringify(value).length <= MAX_SHOWN;
  return isShort ? value : value.slice(0, MAX_SHOWN - 1).toWellFormed() + CUT;
};

const shown = ({ given }: Fault): string => {
  if (given === undefined) return '';
  const text = JSON.stringify(given);
  return `, not ${text.endsWith(`${CUT}"`) ? text.slice(0, -1) : text}`;
};

const PLURALS = { character: 'characters', entry: 'entries' } as const;

/** `at most 998 characters`. */
const boundWords = ({ rule, allowed, unit }: Fault): string => {
  const counted = unit === undefined ? '' : ` ${allowed === 1 ? unit : PLURALS[unit]}`;
  return `${rule === 'at_most' ? 'at most' : 'at least'} ${allowed}${counted}`;
};

const listNames = (names: readonly unknown[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Names the nearest of the known names, then lists them all. */
export const nearWords = (given: readonly string[], names: Iterable<unknown>): string => {
  const all = [...names].map(String);
  const near = given.flatMap((name) => nearest(name.slice(0, 100), all) ?? []);
  const meant = near.length === 0 ? '' : `; the nearest is ${listNames(near)}`;
  return meant + (all.length === 0 ? '' : `; there ${all.length === 1 ? 'is' : 'are'} ${listNames(all)}`);
};

export const describeUnknown = (
  noun: 'field' | 'argument',
  given: readonly string[],
  names: readonly unknown[],
): string => `There is no ${noun} ${listNames(given.map((name) => name.slice(0, 100)))}${nearWords(given, names)}.`;

/** How an interface names fields. */
export interface FaultNames {
  noun: 'field' | 'argument';
  nameOf(field: string): string;
}

export const FIELD_NAMES: FaultNames = { noun: 'field', nameOf: (field) => field };

/** @param hint of the error's code */
export const describeFault = (fault: Fault, hint: string, { noun, nameOf }: FaultNames = FIELD_NAMES): string => {
  const { field, rule, given, allowed } = fault;
  const name = field === '' ? 'The input' : `\`${field.replace(/^[^.]+/, nameOf)}\``;
  const { unit } = fault;
  switch (rule) {
    case 'missing':
      return `${name} is missing${allowed === undefined ? '' : `; give ${allowed}`}.`;
    case 'type':
    case 'format':
      return `${name} is ${allowed}${shown(fault)}.`;
    case 'at_most':
    case 'at_least':
      return `${name} ${unit === undefined ? 'is' : 'has'} ${boundWords(fault)}${shown(fault)}.`;
    case 'one_of':
      return `${name} is one of ${(allowed as unknown[]).map((each) => JSON.stringify(each)).join(', ')}${shown(fault)}.`;
    case 'unknown': {
      const names = (allowed as string[]).map((each) => (field === '' ? nameOf(each) : each));
      return describeUnknown(noun, given as string[], names);
    }
    case 'empty':
      return `${name} is empty. ${hint}`;
    case 'form':
      return `${name}${shown(fault)}: ${hint}`;
    case 'refused':
      return `${name} is refused: ${allowed}${shown(fault)}.`;
    case 'says':
      return `${name}${String(allowed).startsWith(':') ? '' : ' '}${allowed}.`;
    case 'hidden':
      return `${name} has not the form that this operation takes. What was given is not repeated here.`;
  }
};

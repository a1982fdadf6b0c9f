/** A command's parameters: operands by position, options by name. The types of the values follow from them. */

import { wrongUsage } from './failure.ts';

export type Parameter =
  | { readonly kind: 'required' | 'optional' | 'repeated'; readonly placeholder: string; readonly summary: string }
  | { readonly kind: 'flag'; readonly summary: string };

/** By name. Operands are in order, the optional ones last. */
export type ParameterSet = Readonly<Record<string, Parameter>>;

export const required = (placeholder: string, summary: string) =>
  ({ kind: 'required', placeholder, summary }) as const satisfies Parameter;

export const optional = (placeholder: string, summary: string) =>
  ({ kind: 'optional', placeholder, summary }) as const satisfies Parameter;

/** An option that may be repeated; as an operand, the last one, given at least once. */
export const repeated = (placeholder: string, summary: string) =>
  ({ kind: 'repeated', placeholder, summary }) as const satisfies Parameter;

export const flag = (summary: string) => ({ kind: 'flag', summary }) as const satisfies Parameter;

export type Given<P extends ParameterSet> = {
  readonly [K in keyof P]: P[K]['kind'] extends 'required'
    ? string
    : P[K]['kind'] extends 'flag'
      ? boolean
      : P[K]['kind'] extends 'repeated'
        ? string[]
        : string | undefined;
};

/** @param what is named in the refusal, as `A key's name` */
export const requireLine = (what: string, most: number, text: string): string => {
  const line = text.trim();
  if (line.length <= most && !/\p{Cc}/u.test(line)) return line;
  throw wrongUsage(`${what} is one line of at most ${most} characters.`);
};

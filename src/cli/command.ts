/** A command: its name, its operands and options, and what it runs. */

import type { ExitCode } from './exit-codes.ts';
import type { Given, ParameterSet } from './parameters.ts';

export interface Context {
  /** The value of `--config`. */
  readonly configFlag: string | undefined;
  readonly json: boolean;
}

/** What a command has to say, for programs and for people. The runner prints one of the two, once. */
export interface Answer {
  readonly document: unknown;
  readonly text: () => string;
  /** Where what it says is a failure; left out: done. */
  readonly exitCode?: ExitCode;
}

type Values = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Command {
  /** As it is typed: `keys add`. */
  readonly name: string;
  readonly summary: string;
  readonly operands: ParameterSet;
  readonly options: ParameterSet;
  /** Stands below the options in its help. */
  readonly notes?: string;
  /** Whether it opens files that the command line or the config names: root keeps its rights for these. */
  readonly namesFiles?: boolean;
  run(given: Values, context: Context): Promise<Answer | null>;
}

interface CommandSpec<O extends ParameterSet, P extends ParameterSet> {
  name: string;
  summary: string;
  operands: O;
  options: P;
  notes?: string;
  namesFiles?: boolean;
  /** @returns null where the command has spoken for itself, as the daemon does in its log */
  run(given: Given<O> & Given<P>, context: Context): Promise<Answer | null>;
}

/** The parser fills `given` from the same sets that its type is made of, so the narrower type holds. */
export const command = <const O extends ParameterSet, const P extends ParameterSet>(
  spec: CommandSpec<O, P>,
): Command => ({
  ...spec,
  run: (given, context) => spec.run(given as Given<O> & Given<P>, context),
});

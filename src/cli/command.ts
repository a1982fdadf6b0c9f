/** A command: its name, its operands and options, and its function. */

import type { ExitCode } from './exit-codes.ts';
import type { Given, ParameterSet } from './parameters.ts';

export interface Context {
  /** The value of `--config`. */
  readonly configFlag: string | undefined;
  readonly json: boolean;
}

/** A command's output, for programs and for people. The runner prints one of the two, once. */
export interface Answer {
  readonly document: unknown;
  readonly text: () => string;
  /** Set where the output reports a failure; left out: success. */
  readonly exitCode?: ExitCode;
}

type Values = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Command {
  /** As it is typed: `keys add`. */
  readonly name: string;
  readonly summary: string;
  readonly operands: ParameterSet;
  readonly options: ParameterSet;
  /** Printed below the options in its help. */
  readonly notes?: string;
  /** Whether it opens files that the command line or the config names: root keeps its rights for these. */
  readonly namesFiles?: boolean;
  run(given: Values, context: Context): Promise<Answer | null>;
}

/** The parameters of a command without operands, or without options. */
export type None = Record<never, never>;

export interface CommandSpec<O extends ParameterSet, P extends ParameterSet>
  extends Omit<Command, 'operands' | 'options' | 'run'> {
  operands?: O;
  options?: P;
  /** @returns null where the command prints its own output, as the daemon does in its log */
  run(given: Given<O> & Given<P>, context: Context): Promise<Answer | null>;
}

/** The parser fills `given` from the sets that define its type, so the narrower type is correct. */
export const command = <const O extends ParameterSet = None, const P extends ParameterSet = None>(
  spec: CommandSpec<O, P>,
): Command => ({
  operands: {},
  options: {},
  ...spec,
  run: (given, context) => spec.run(given as Given<O> & Given<P>, context),
});

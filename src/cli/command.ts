/** A command: its name, its operands and options, and its function; most call operations. */

import type { z } from 'zod';
import type { Instance } from '../app/instance.ts';
import type { CallOperation } from '../app/operator-calls.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerName } from '../kernel/files/caller-rights.ts';
import type { Operation, PersonGives, PersonOutput } from '../kernel/operation.ts';
import { loadConfig } from './config-file.ts';
import { confirm } from './confirm.ts';
import { type CommandError, type ExitCode, refused, wrongUsage } from './failure.ts';
import { type Column, table } from './table.ts';

/** Operands are by position, options by name. The types of the values follow from them. */
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

/** @param refusal where the text is none of them */
export const requireChoice = <const Choice extends string>(
  choices: readonly Choice[],
  text: string,
  refusal: string,
): Choice => {
  const choice = choices.find((each) => each === text);
  if (choice === undefined) throw wrongUsage(refusal);
  return choice;
};

/** @param what is named in the refusal, as `A key's name` */
export const requireLine = (what: string, most: number, text: string): string => {
  const line = text.trim();
  if (line.length <= most && !/\p{Cc}/u.test(line)) return line;
  throw wrongUsage(`${what} is one line of at most ${most} characters.`);
};

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

/** Opens the instance while `work` runs. Loaded here, so that help and a wrong command line do not load the store. */
export const withInstance = async <T>(config: Config, work: (instance: Instance) => Promise<T>): Promise<T> => {
  const { openInstance } = await import('../app/instance.ts');
  const instance = await openInstance(config, { givesWay: true });
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
};

export const withOperations = async <T>(
  { configFlag }: Context,
  work: (call: CallOperation, instance: Instance) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig({ flag: configFlag });
  const { createOperatorCalls } = await import('../app/operator-calls.ts');
  return withInstance(config, async (instance) => {
    const { call, close } = createOperatorCalls(instance, `cli:${callerName()}`);
    try {
      return await work(call, instance);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'vault_unavailable') throw missingVaultKey(config);
      throw error;
    } finally {
      await close();
    }
  });
};

export const missingVaultKey = ({ vault }: Config): CommandError =>
  refused(
    `The vault's key is missing, or is another than the data was sealed under: ${vault.key_file}\n` +
      'Restore the file from your backup of it. `postroom init` makes one for a new instance.',
  );

interface OperationCommandSpec<O extends ParameterSet, P extends ParameterSet, D>
  extends Omit<CommandSpec<O, P>, 'run'> {
  /** Asked before the call, unless `--yes` is given. */
  question?: (given: Given<O> & Given<P>) => string;
  call: (call: CallOperation, given: Given<O> & Given<P>, instance: Instance) => Promise<D>;
  text: (document: D, given: Given<O> & Given<P>, instance: Instance) => string;
  /** Left out: success. */
  exitCode?: (document: NoInfer<D>) => ExitCode;
}

export const operationCommand = <D, const O extends ParameterSet = None, const P extends ParameterSet = None>({
  question,
  call,
  text,
  exitCode,
  ...spec
}: OperationCommandSpec<O, P, D>): Command =>
  command({
    ...spec,
    run: async (given, context) => {
      if (question) await confirm(question(given), 'yes' in given && given.yes === true);
      return withOperations(context, async (callOperation, instance) => {
        const document = await call(callOperation, given, instance);
        const code = exitCode && { exitCode: exitCode(document) };
        return { document, text: () => text(document, given, instance), ...code };
      });
    },
  });

type RowOf<C extends Operation, D = z.output<PersonOutput<C>>> = Extract<D[keyof D], readonly unknown[]>[number];

interface ListCommandSpec<C extends Operation, O extends ParameterSet, P extends ParameterSet>
  extends Omit<CommandSpec<O, P>, 'run'> {
  /** Its answer has one list. */
  operation: C;
  /** Left out: the parameters, which the operation calls by the same names. */
  input?: (given: Given<O> & Given<P>) => PersonGives<C>;
  columns: readonly Column<RowOf<C>>[];
  /** The line for an empty list. */
  none: string;
}

/** Prints the list of one operation's answer as a table. */
export const listCommand = <
  C extends Operation,
  const O extends ParameterSet = None,
  const P extends ParameterSet = None,
>({
  operation,
  input = (given) => given as PersonGives<C>,
  columns,
  none,
  ...spec
}: ListCommandSpec<C, O, P>): Command =>
  operationCommand({
    ...spec,
    call: (call, given: Given<O> & Given<P>) => call(operation, input(given)),
    text: (document) =>
      table<RowOf<C>>(
        columns,
        Object.values(document as object)
          .filter(Array.isArray)
          .flat(),
        none,
      ),
  });

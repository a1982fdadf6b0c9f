/** A command that calls operations: its output is the last result, as a document and as text. */

import type { z } from 'zod';
import type { Instance } from '../app/instance.ts';
import type { CallOperation } from '../app/operator-calls.ts';
import type { Operation, PersonGives, PersonOutput } from '../kernel/operation.ts';
import { type Command, type CommandSpec, command, type None } from './command.ts';
import { confirm } from './confirm.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Given, ParameterSet } from './parameters.ts';
import { type Column, table } from './table.ts';
import { withOperations } from './with-operations.ts';

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

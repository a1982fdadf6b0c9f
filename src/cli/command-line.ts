/** From the words of a command line to a command and what it was given. */

import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import type { ParameterSet } from './parameters.ts';
import { commandHelp, listHelp, usageLine } from './usage.ts';

const GLOBAL_OPTIONS = {
  config: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type CommandLine =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | {
      kind: 'run';
      command: Command;
      given: Record<string, string | boolean | undefined>;
      json: boolean;
      configFlag: string | undefined;
    };

/** @throws {CommandError} wrong usage, with the usage of what was probably meant */
export const parseCommandLine = (commands: readonly Command[], args: readonly string[]): CommandLine => {
  const words = positionalsOf(commands, args);
  const command = findCommand(commands, words);
  const asksForHelp = args.includes('--help') || args.includes('-h');
  if (!command) {
    const noun = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    if (asksForHelp) return { kind: 'help', text: listHelp(noun.length > 0 ? noun : commands) };
    if (args.includes('--version')) return { kind: 'version' };
    if (words.length === 0) throw wrongUsage(listHelp(commands));
    throw wrongUsage(
      `No such command: ${words.slice(0, 2).join(' ')}\n\n${listHelp(noun.length > 0 ? noun : commands)}`,
    );
  }
  if (asksForHelp) return { kind: 'help', text: commandHelp(command) };
  const { values, positionals } = parseStrictly(command, args);
  const operands = positionals.slice(command.name.split(' ').length);
  return {
    kind: 'run',
    command,
    given: { ...optionValues(command, values), ...operandValues(command, operands) },
    json: values.json === true,
    configFlag: typeof values.config === 'string' ? values.config : undefined,
  };
};

/** `--config F` may stand before the command, so the words are told from option values by every command's options. */
const positionalsOf = (commands: readonly Command[], args: readonly string[]): string[] => {
  const all = commands.map(({ options }) => parseArgsOptions(options));
  const options = Object.assign({}, ...all, GLOBAL_OPTIONS) as ReturnType<typeof parseArgsOptions>;
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals;
};

const parseArgsOptions = (options: ParameterSet): Record<string, { type: 'string' | 'boolean' }> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { kind }]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }]),
  );

const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands.find(({ name }) => name === words.slice(0, 2).join(' ')) ?? commands.find(({ name }) => name === words[0]);

const parseStrictly = (command: Command, args: readonly string[]) => {
  const options: Record<string, { type: 'string' | 'boolean' }> = {
    ...parseArgsOptions(command.options),
    ...GLOBAL_OPTIONS,
  };
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = error.message.split(/\. |\n/, 1)[0] ?? '';
    throw wrongUsage(`${text.replace(/\.$/, '')}.\n${usageLine(command)}`);
  }
};

type Values = Record<string, string | boolean | undefined>;

const optionValues = (command: Command, values: Record<string, unknown>): Values => {
  const found: Values = {};
  for (const [name, { kind }] of Object.entries(command.options)) {
    const value = values[name];
    if (kind === 'flag') found[name] = value === true;
    else if (typeof value === 'string') found[name] = requireText(command, `--${name}`, value);
    else if (kind === 'required') throw wrongUsage(`--${name} is missing.\n${usageLine(command)}`);
  }
  return found;
};

const operandValues = (command: Command, operands: readonly string[]): Values => {
  const names = Object.entries(command.operands);
  if (operands.length > names.length) {
    throw wrongUsage(`One word too many: ${operands[names.length]}\n${usageLine(command)}`);
  }
  const found: Values = {};
  for (const [index, [name, parameter]] of names.entries()) {
    const label = parameter.kind === 'flag' ? name : parameter.placeholder;
    const value = operands[index];
    if (value !== undefined) found[name] = requireText(command, label, value);
    else if (parameter.kind === 'required') throw wrongUsage(`${label} is missing.\n${usageLine(command)}`);
  }
  return found;
};

/** An empty value is a shell variable that was not set. */
const requireText = (command: Command, label: string, value: string): string => {
  if (value.trim() === '') throw wrongUsage(`${label} is empty.\n${usageLine(command)}`);
  return value;
};

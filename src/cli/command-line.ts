/** Parses a command line into a command and its values. */

import { parseArgs } from 'node:util';
import { nearest } from '../kernel/text/nearest.ts';
import type { Command, ParameterSet } from './command.ts';
import { commandHelp, listHelp, usageLine } from './commands/usage.ts';
import { wrongUsage } from './failure.ts';

const GLOBAL_OPTIONS = {
  config: { type: 'string' },
  json: { type: 'boolean' },
  // Of use where a command asks; a script may give it to each.
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type CommandLine =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | {
      kind: 'run';
      command: Command;
      given: Record<string, string | boolean | string[] | undefined>;
      json: boolean;
      configFlag: string | undefined;
    };

/** @throws {CommandError} wrong usage, with the usage of the command that was probably meant */
export const parseCommandLine = (commands: readonly Command[], args: readonly string[]): CommandLine => {
  const said = readPositionals(commands, args);
  const isHelp = said[0] === 'help';
  const words = isHelp ? said.slice(1) : said;
  const command = findCommand(commands, words);
  const asksForHelp = isHelp || args.includes('--help') || args.includes('-h');
  if (!command) {
    const noun = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    if (asksForHelp) return { kind: 'help', text: listHelp(noun.length > 0 ? noun : commands) };
    if (args.includes('--version')) return { kind: 'version' };
    if (words.length === 0) throw wrongUsage('A command is missing.', listHelp(commands));
    if (words.length === 1 && noun.length > 0) throw wrongUsage(`${words[0]} wants a verb.`, listHelp(noun));
    const meant = suggestion(commands, words);
    const others = noun.length > 0 ? listHelp(noun) : listHelp(commands);
    // The list of all commands would push the relevant one off the screen.
    const usage = noun.length === 0 && meant !== '' ? undefined : others;
    throw wrongUsage(`No such command: ${words.slice(0, 2).join(' ')}.${meant}`, usage);
  }
  if (asksForHelp) return { kind: 'help', text: commandHelp(command) };
  const { values, positionals } = parseStrictly(command, args);
  const operands = positionals.slice(command.name.split(' ').length);
  return {
    kind: 'run',
    command,
    given: readValues(command, values, operands),
    json: values.json === true,
    configFlag: typeof values.config === 'string' ? values.config : undefined,
  };
};

/** The nearest verb of a noun; where the first word is none, the nearest command or noun. */
const suggestion = (commands: readonly Command[], [noun = '', verb = '']: readonly string[]): string => {
  const names = commands.map(({ name }) => name);
  const verbs = names.flatMap((name) => (name.startsWith(`${noun} `) ? name.slice(noun.length + 1) : []));
  const near = nearest(verb, verbs);
  const nouns = [...new Set(names.map((name) => name.split(' ', 1)[0] ?? ''))];
  const found =
    verbs.length > 0 ? near && `${noun} ${near}` : (nearest(`${noun} ${verb}`.trim(), names) ?? nearest(noun, nouns));
  return found === null ? '' : ` Did you mean: ${found}`;
};

const suggestedOption = (message: string, options: ArgsOptions): string => {
  const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
  const found = unknown === undefined ? null : nearest(unknown, Object.keys(options));
  return found === null ? '' : ` Did you mean: --${found}`;
};

/** `--config F` may stand before the command, so option values are told from positionals by every command's options. */
const readPositionals = (commands: readonly Command[], args: readonly string[]): string[] => {
  const all = commands.map(({ options }) => parseArgsOptions(options));
  const options = Object.assign({}, ...all, GLOBAL_OPTIONS) as ReturnType<typeof parseArgsOptions>;
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals;
};

type ArgsOptions = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;

const parseArgsOptions = (options: ParameterSet): ArgsOptions =>
  Object.fromEntries(
    Object.entries(options).map(([name, { kind }]) => [
      name,
      { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'repeated' },
    ]),
  );

const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands.find(({ name }) => name === words.slice(0, 2).join(' ')) ?? commands.find(({ name }) => name === words[0]);

const parseStrictly = (command: Command, args: readonly string[]) => {
  const options: ArgsOptions = {
    ...parseArgsOptions(command.options),
    ...GLOBAL_OPTIONS,
  };
  try {
    return parseArgs({ args: withNegatives(args), options, strict: true, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = error.message.split(/\. |\n/, 1)[0] ?? '';
    throw wrongUsage(`${text.replace(/\.$/, '')}.${suggestedOption(text, options)}`, usageLine(command));
  }
};

/**
 * No option has a number as its name: in `--spend-cap -1` the number is the option's value, which the command checks.
 */
const withNegatives = (args: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const word of args) {
    const last = joined.at(-1);
    const isValue = /^-\d/.test(word) && last !== undefined && /^--[a-z][a-z-]*$/.test(last);
    if (isValue) joined[joined.length - 1] = `${last}=${word}`;
    else joined.push(word);
  }
  return joined;
};

type Values = Record<string, string | boolean | string[] | undefined>;

/** Names all missing values at once. */
const readValues = (command: Command, values: Record<string, unknown>, operands: readonly string[]): Values => {
  const given = { ...operandValues(command, operands), ...optionValues(command, values) };
  const missing = [...Object.entries(command.operands), ...Object.entries(command.options)].flatMap(
    ([name, parameter]) => {
      if (parameter.kind !== 'required' || given[name] !== undefined) return [];
      return name in command.operands ? parameter.placeholder : `--${name}`;
    },
  );
  if (missing.length === 0) return given;
  throw wrongUsage(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, usageLine(command));
};

const optionValues = (command: Command, values: Record<string, unknown>): Values => {
  const found: Values = {};
  for (const [name, { kind }] of Object.entries(command.options)) {
    const value = values[name];
    if (kind === 'flag') found[name] = value === true;
    else if (kind === 'repeated')
      found[name] = ((value ?? []) as string[]).map((each) => requireText(command, `--${name}`, each));
    else if (typeof value === 'string') found[name] = requireText(command, `--${name}`, value);
  }
  return found;
};

const operandValues = (command: Command, operands: readonly string[]): Values => {
  const names = Object.entries(command.operands);
  const isLastRepeated = names.at(-1)?.[1].kind === 'repeated';
  if (operands.length > names.length && !isLastRepeated) {
    throw wrongUsage(`One word too many: ${operands[names.length]}`, usageLine(command));
  }
  const found: Values = {};
  for (const [index, [name, parameter]] of names.entries()) {
    const label = parameter.kind === 'flag' ? name : parameter.placeholder;
    const value = operands[index];
    if (parameter.kind === 'repeated') {
      if (value === undefined) throw wrongUsage(`${label} is missing.`, usageLine(command));
      found[name] = operands.slice(index).map((each) => requireText(command, label, each));
    } else if (value !== undefined) found[name] = requireText(command, label, value);
  }
  return found;
};

/** An empty value comes from a shell variable that is not set. */
const requireText = (command: Command, label: string, value: string): string => {
  if (value.trim() === '') throw wrongUsage(`${label} is empty.`, usageLine(command));
  return value;
};

/** The help texts, made from the command table. */

import type { Command, Parameter, ParameterSet } from '../command.ts';

const GLOBAL_HELP = [
  ['--config FILE', 'the config; else $POSTROOM_CONFIG, /etc/postroom/postroom.toml, ./config/postroom.toml'],
  ['--json', 'one JSON document on stdout'],
  ['--help', 'what a command takes'],
] as const;

const EXIT_HELP = 'Exit: 0 done, 1 refused or failed, 2 wrong usage, 69 not reachable, 78 bad config.';

/** `keys add HANDLE [--name N]` */
const formatForm = ({ name, operands, options }: Command): string =>
  [
    name,
    ...Object.values(operands).map((operand) =>
      operand.kind === 'repeated' ? `${formatLabel(operand)}...` : bracketed(operand, formatLabel(operand)),
    ),
    ...formatOptions(options),
  ].join(' ');

/** `--workspace W`, `[--hold]`, `[--tag T]...` */
export const formatOptions = (options: ParameterSet): string[] =>
  Object.entries(options).map(([option, parameter]) =>
    bracketed(parameter, `--${option} ${formatLabel(parameter)}`.trimEnd()),
  );

const formatLabel = (parameter: Parameter): string => (parameter.kind === 'flag' ? '' : parameter.placeholder);
const bracketed = ({ kind }: Parameter, text: string): string => {
  if (kind === 'required') return text;
  return kind === 'repeated' ? `[${text}]...` : `[${text}]`;
};

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
};

export const usageLine = (command: Command): string => `Usage: postroom ${formatForm(command)}`;

/** Several commands, with the text common to all. */
export const listHelp = (commands: readonly Command[]): string =>
  [
    'Usage: postroom NOUN VERB',
    columns(commands.map((command) => [command.name, command.summary])),
    'Anywhere on the line:',
    columns(GLOBAL_HELP),
    EXIT_HELP,
  ].join('\n\n');

export const commandHelp = (command: Command): string => {
  const rows: [string, string][] = [
    ...Object.values(command.operands).map((operand): [string, string] => [formatLabel(operand), operand.summary]),
    ...Object.entries(command.options).map(([name, parameter]): [string, string] => [
      `--${name} ${formatLabel(parameter)}`.trimEnd(),
      parameter.summary,
    ]),
  ];
  return [
    usageLine(command),
    `${command.summary}.`,
    columns([...rows, ...GLOBAL_HELP]),
    ...(command.notes ? [command.notes] : []),
  ].join('\n\n');
};

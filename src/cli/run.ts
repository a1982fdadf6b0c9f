/** Runs one command line: its output goes to stdout, errors to stderr, its result into the exit code. */

import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { ConfigError } from '../config/config-text.ts';
import { becomeOwnerOf } from '../kernel/files/caller-rights.ts';
import { readVersion } from '../kernel/files/version.ts';
import type { Command } from './command.ts';
import { parseCommandLine } from './command-line.ts';
import { commands } from './commands/index.ts';
import { loadConfig } from './config-file.ts';
import { EXIT, type ExitCode, toFailure } from './failure.ts';
import { printableJson } from './table.ts';

/** Resolves once the text is written, because the process may end right after. */
const print = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(`${text}\n`, () => resolve());
  });

/** Without a readable config there is no data to work on; the command reports that itself. */
const becomeServiceUser = ({ namesFiles = false }: Command, configFlag: string | undefined): void => {
  if (process.geteuid?.() !== 0) return;
  try {
    becomeOwnerOf(loadConfig({ flag: configFlag }).config.data_dir, { namesFiles });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
};

const answerOf = async (args: readonly string[]): Promise<Pick<Outcome, 'code' | 'stdout'>> => {
  const line = parseCommandLine(commands, args);
  if (line.kind === 'help') return { code: EXIT.done, stdout: line.text };
  if (line.kind === 'version') return { code: EXIT.done, stdout: readVersion() };
  const { command, given, json, configFlag } = line;
  becomeServiceUser(command, configFlag);
  const answer = await command.run(given, { json, configFlag });
  if (!answer) return { code: EXIT.done, stdout: '' };
  const stdout = json ? printableJson(answer.document) : answer.text();
  return { code: answer.exitCode ?? EXIT.done, stdout };
};

export interface Outcome {
  code: ExitCode;
  /** Empty where the command failed, or printed its own output. */
  stdout: string;
  stderr: string;
}

/**
 * The result of a command line, not printed. Never rejects.
 * @param args the words after `postroom`
 */
export const outcomeOf = async (args: readonly string[]): Promise<Outcome> => {
  try {
    return { ...(await answerOf(args)), stderr: '' };
  } catch (error) {
    const { exitCode, code, text, hint, usage } = toFailure(error);
    if (args.includes('--json')) {
      return { code: exitCode, stdout: '', stderr: printableJson({ error: code, hint }) };
    }
    const mark = styleText('red', 'postroom:', { stream: process.stderr });
    return { code: exitCode, stdout: '', stderr: `${usage === '' ? '' : `${usage}\n\n`}${mark} ${text}` };
  }
};

export const runCommandLine = async (args: readonly string[]): Promise<ExitCode> => {
  const { code, stdout, stderr } = await outcomeOf(args);
  if (stdout !== '') await print(process.stdout, stdout);
  if (stderr !== '') await print(process.stderr, stderr);
  return code;
};

/** The CLI beside a test instance's daemon, on the same data. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { outcomeOf } from '../../src/cli/run.ts';

/** What an install runs. */
const MAIN = resolve(import.meta.dirname, '../../build/server/main.js');

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs one command line as the CLI does, in this process: a start of its own costs half a second of processor time. A
 * command that reads its stdin or writes to its stdout by itself is run by {@link runCliWith}.
 */
export const runCli = async (configPath: string, ...args: string[]): Promise<CliRun> => {
  const { code, stdout, stderr } = await outcomeOf(['--config', configPath, ...args]);
  const print = (text: string): string => (text === '' ? '' : `${text}\n`);
  return { code, stdout: print(stdout), stderr: print(stderr) };
};

/** Runs it as a process, with this text on its stdin. */
export const runCliWith = (stdin: string, configPath: string, ...args: string[]): Promise<CliRun> =>
  new Promise((done) => {
    const child = execFile(process.execPath, [MAIN, '--config', configPath, ...args], (error, stdout, stderr) => {
      done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
    // A command that refuses at once reads no stdin.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
  });

/** @returns the one JSON document that the command printed; throws with what it said where it failed */
export const cliJson = async (configPath: string, ...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runCli(configPath, ...args, '--json');
  if (code !== 0) throw new Error(`postroom ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
};

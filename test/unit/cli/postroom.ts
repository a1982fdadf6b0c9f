/** Runs the command line as a person does: another process, its own environment. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const CHECKOUT = resolve(import.meta.dirname, '../../..');
/** Runs the sources; an install has none, and runs what is built. */
export const SCRIPT = join(CHECKOUT, 'scripts/postroom');
/** Node, and the built command line, which starts in a third of the time. */
export const BUILT = [join(CHECKOUT, 'node_modules/.bin/node'), join(CHECKOUT, 'build/server/main.js')] as const;

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Nothing of the runner's own environment but what it has compiled: a start without that costs up to five seconds. */
const environment = (extra: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
  ...extra,
});

interface Place {
  cwd?: string;
  env?: Record<string, string>;
  /** The script, or another way to call it, such as a link; left out: what is built. */
  script?: string;
}

export const postroom = (args: readonly string[], { cwd, env, script }: Place = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const [node, main] = BUILT;
    const [file, words] = script === undefined ? [node, [main, ...args]] : [script, args];
    const child = execFile(file, words, { cwd, env: environment(env) }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });

/** The document that a command printed. */
export const documentOf = <T = Record<string, unknown>>({ code, stdout, stderr }: Ended): T => {
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
};

export interface Running {
  process: ChildProcess;
  /** Resolves with the first line of stdout that `wanted` takes; rejects where the process ends before. */
  line(wanted: (line: string) => boolean): Promise<string>;
  /** All lines so far. */
  lines: string[];
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
}

/** Starts what goes on until it is told to stop. */
export const start = (file: string, args: readonly string[]): Running => {
  const child = spawn(file, args, { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting = new Set<{ wanted: (line: string) => boolean; done: (line: string) => void; fail: () => void }>();
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      for (const { fail } of waiting) fail();
      resolve(code ?? signal ?? 'unknown');
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const each of waiting) {
      if (!each.wanted(line)) continue;
      waiting.delete(each);
      each.done(line);
    }
  });
  const line = (wanted: (line: string) => boolean): Promise<string> => {
    const known = lines.find(wanted);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((done, reject) => {
      waiting.add({ wanted, done, fail: () => reject(new Error(`It ended after:\n${lines.join('\n')}`)) });
    });
  };
  return { process: child, line, lines, ended };
};

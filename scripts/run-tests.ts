/**
 * Runs test files, each in a process of its own and some at once, and prints one TAP document. `tap` prints a file's own TAP
 * by itself; its runner is not used: what it loads into each process, for coverage, costs a quarter of the whole run.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const RUN_FILE = join(import.meta.dirname, 'test-file.ts');
/** Files at once. Two use the processors while others wait for a disk, a clock or a peer. */
const PARALLEL = 4;
const TIME_OUT_MS = Number(process.env.TEST_TIME_OUT_MS ?? 480_000);
/** For `tap` to say, upon the signal, what was still open. */
const LAST_WORDS_MS = 5_000;

interface Outcome {
  isPassed: boolean;
  text: string;
}

const running = new Set<ChildProcess>();

/** Of the file's process and of all that it has started. */
const signal = ({ pid }: ChildProcess, name: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended.
  }
};

const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ');

const run = (file: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, [RUN_FILE, file], {
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(TIME_OUT_MS / 1_000) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      signal(child, 'SIGALRM');
      setTimeout(signal, LAST_WORDS_MS, child, 'SIGKILL').unref();
    }, TIME_OUT_MS);
    child.once('error', (error) => chunks.push(Buffer.from(`# ${error.message}\n`)));
    child.once('exit', () => signal(child, 'SIGKILL'));
    child.once('close', (code, by) => {
      clearTimeout(timer);
      running.delete(child);
      const said = indented(Buffer.concat(chunks).toString().replace(/\n?$/, '\n'));
      const why = isLate ? `    # not over after ${TIME_OUT_MS} ms\n` : by ? `    # ended by ${by}\n` : '';
      const ms = Math.round(performance.now() - began);
      const isPassed = code === 0 && !isLate;
      resolve({
        isPassed,
        text: `# Subtest: ${file}\n${said}${why}${isPassed ? 'ok' : 'not ok'} N - ${file} # time=${ms}ms\n`,
      });
    });
  });

const files = process.argv.slice(2);
const left = [...files.entries()];
let count = 0;
let isPassed = true;
const work = async (): Promise<void> => {
  for (let next = left.shift(); next; next = left.shift()) {
    const outcome = await run(next[1]);
    count += 1;
    isPassed &&= outcome.isPassed;
    process.stdout.write(outcome.text.replace(/ok N - (?=.*\n$)/, `ok ${count} - `));
  }
};

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    for (const child of running) signal(child, 'SIGKILL');
    process.exit(1);
  });
}
console.log('TAP version 14');
await Promise.all(Array.from({ length: PARALLEL }, work));
console.log(`1..${count}`);
process.exitCode = isPassed ? 0 : 1;

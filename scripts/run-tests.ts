/**
 * Runs test files, some at once, and prints one TAP document. `tap` prints a file's own TAP by itself; its runner is not
 * used: what it loads into each process, for coverage, costs a quarter of the whole run.
 */

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const RUN_FILES = join(import.meta.dirname, 'test-files.ts');
const BUILD_SERVER = join(import.meta.dirname, 'build-server.ts');
/**
 * Processes at once. Each has threads, daemons or a browser of its own, so three keep two processors busy. With five, all of
 * it took an eighth more of them.
 */
const PARALLEL = 3;
/**
 * Files that a process runs at most: a new one loads and compiles all anew, for 4 s of the processor. A database of
 * PostgreSQL stays until its process ends, and takes memory.
 */
const FILES_OF_A_PROCESS = process.env.POSTROOM_TEST_STORE === 'postgres' ? 50 : 200;
/** Those that end daemons, fill pools or load a process to its limits want a disk and new threads, and share a process. */
const FAULTS = /(?:^|\/)faults\/|budget\/budget-|(?:worker|thread)-pool/;
/** Freed memory is kept, in large pages: on some virtual machines the first touch of a page takes 13 µs. */
const KEEPS_MEMORY = {
  GLIBC_TUNABLES: ['hugetlb=1', 'mmap_threshold=1073741824', 'trim_threshold=1073741824', 'top_pad=16777216']
    .map((each) => `glibc.malloc.${each}`)
    .join(':'),
};
const IN_MEMORY = '/dev/shm';
/** These processes with the data of their tests use less. */
const IN_MEMORY_OCTETS = 4 * 2 ** 30;
const TIME_OUT_MS = Number(process.env.TEST_TIME_OUT_MS ?? 480_000);
/** For `tap` to say, upon the signal, what was still open. */
const LAST_WORDS_MS = 10_000;
/** For a process that has nothing left to run. With an empty cache it first writes all that it has compiled. */
const END_MS = Number(process.env.TEST_END_MS ?? 60_000);

const running = new Set<ChildProcessWithoutNullStreams>();
/** Of the process and of all that it has started. */
const signal = ({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended.
  }
};

/** Memory that files are in, where the machine has much of it and runs programs from there: each commit is spared a disk. */
const inMemory = (): { TMPDIR?: string } => {
  const mount = new RegExp(`^\\S+ ${IN_MEMORY} tmpfs (?!\\S*noexec)`, 'm');
  if (process.env.TMPDIR !== undefined || !mount.test(readFileSync('/proc/self/mounts', 'utf8'))) return {};
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize < IN_MEMORY_OCTETS ? {} : { TMPDIR: IN_MEMORY };
};

let count = 0;
let isPassed = true;
const report = (file: string, isOk: boolean, said: string, ms: number): void => {
  count += 1;
  isPassed &&= isOk;
  process.stdout.write(
    `# Subtest: ${file}\n${said}${isOk ? 'ok' : 'not ok'} ${count} - ${file} # time=${Math.round(ms)}ms\n`,
  );
};

const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ');
/** The process's own lines of TAP around that of its files. */
const FRAME = /^(?:TAP version|# Subtest: |\d+\.\.\d+$|# \{|# time=|(?:not )?ok \d+ - ).*\n/gm;

/** A process, and what it says of the file that it runs. */
class Runner {
  readonly #hasFaults: boolean;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<string | null>;
  #said = '';
  #onSaid: () => void = () => undefined;
  #files = 0;
  #isEnded = false;

  /**
   * @param slot of those at once: its process takes its ports from a block of its own
   * @param hasFaults its data is on a disk, and threads are started anew
   */
  constructor(slot: number, hasFaults: boolean) {
    this.#hasFaults = hasFaults;
    const own = hasFaults ? { TEST_NEW_THREADS: '1' } : { ...inMemory(), ...KEEPS_MEMORY };
    const child = spawn(process.execPath, [RUN_FILES], {
      env: { ...process.env, ...own, TAP: '1', TAP_TIMEOUT: '0', TEST_SLOT: `${slot}` },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    running.add(child);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      this.#onSaid();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said += indented(text.replace(/\n?$/, '\n'));
    });
    // It may be gone before it has read a name.
    child.stdin.on('error', () => undefined);
    child.once('exit', () => signal(child, 'SIGKILL'));
    this.#ended = new Promise((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (_code, by) => {
        this.#isEnded = true;
        running.delete(child);
        resolve(by === null ? null : `ended by ${by}`);
        this.#onSaid();
      });
    });
  }

  /** Whether the next file is to have another. */
  isSpentFor(hasFaults: boolean): boolean {
    return this.#isEnded || this.#hasFaults !== hasFaults || this.#files >= FILES_OF_A_PROCESS;
  }

  async run(file: string): Promise<void> {
    const began = performance.now();
    this.#files += 1;
    const result = /^(not )?ok \d+ - .*\n/m;
    const done = Promise.withResolvers<void>();
    this.#onSaid = () => {
      if (this.#isEnded || result.test(this.#said)) done.resolve();
    };
    this.#child.stdin.write(`${file}\n`);
    let isLate = false;
    let kill: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      isLate = true;
      signal(this.#child, 'SIGALRM');
      kill = setTimeout(signal, LAST_WORDS_MS, this.#child, 'SIGKILL');
    }, TIME_OUT_MS);
    await done.promise;
    clearTimeout(timer);
    const isOk = !isLate && result.exec(this.#said)?.[1] === undefined && result.test(this.#said);
    // Its last words are waited for, and what went wrong in it is not to meet the next file.
    const end = isOk ? null : await this.#close();
    clearTimeout(kill);
    const why = isLate ? `not over after ${TIME_OUT_MS} ms` : end;
    const said = this.#said.replace(FRAME, '') + (why === null ? '' : `    # ${why}\n`);
    this.#said = '';
    report(file, isOk, said, performance.now() - began);
  }

  /** Ends the process once it has nothing to run. @returns how it ended where that was not by itself */
  async #close(): Promise<string | null> {
    this.#child.stdin.end();
    const timer = setTimeout(signal, END_MS, this.#child, 'SIGALRM');
    const kill = setTimeout(signal, END_MS + LAST_WORDS_MS, this.#child, 'SIGKILL');
    const how = await this.#ended;
    clearTimeout(timer);
    clearTimeout(kill);
    return how;
  }

  /** What its files left open holds it, and is a fault of one of them. */
  async end(files: readonly string[]): Promise<void> {
    if (this.#isEnded) return;
    const began = performance.now();
    const how = await this.#close();
    if (how === null) return;
    const said = `${indented(this.#said)}    # ${how}: one of these has left something open: ${files.join(' ')}\n`;
    report(`the end of ${files.at(-1)}`, false, said, performance.now() - began);
  }
}

const files = process.argv.slice(2);
const [faults, others] = [files.filter((file) => FAULTS.test(file)), files.filter((file) => !FAULTS.test(file))];
/** A start loads all that tests use, and is cold: one slot takes the faults, so that few starts are made. */
const work = async (slot: number): Promise<void> => {
  const queues = slot === 0 ? [faults, others] : [others, faults];
  const next = (): string | undefined => queues.find(({ length }) => length > 0)?.shift();
  let runner: Runner | null = null;
  let ran: string[] = [];
  const end = async () => {
    await runner?.end(ran);
    runner = null;
    ran = [];
  };
  for (let file = next(); file !== undefined; file = next()) {
    const hasFaults = FAULTS.test(file);
    if (runner?.isSpentFor(hasFaults)) await end();
    runner ??= new Runner(slot, hasFaults);
    ran.push(file);
    await runner.run(file);
  }
  await end();
};

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    for (const child of running) signal(child, 'SIGKILL');
    process.exit(1);
  });
}
execFileSync(process.execPath, [BUILD_SERVER, '--if-stale'], { stdio: ['ignore', 'ignore', 'inherit'] });
console.log('TAP version 14');
await Promise.all(Array.from({ length: PARALLEL }, (_, slot) => work(slot)));
console.log(`1..${count}`);
process.exitCode = isPassed ? 0 : 1;

/** A machine with its own systemd, booted from an untouched Debian root. Only inside of test/harness/machine/world. */

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The world's own addresses, where its DNS, mail servers and authority are. */
export const INTERNET = { ipv4: '198.51.100.1', ipv6: '2001:db8::1' };

export interface Ran {
  code: number;
  stdout: string;
  /** Standard output and standard error. */
  text: string;
}

export interface Machine extends AsyncDisposable {
  readonly name: string;
  readonly ipv4: string;
  readonly ipv6: string;
  /** Its file system, as a folder here. */
  readonly root: string;
  /** Runs a program in it, as root, in `cwd` or /. */
  run(words: readonly string[], options?: { cwd?: string; input?: string }): Promise<Ran>;
  /** As `run`. @returns standard output; throws where the exit code is not 0 */
  do(...words: string[]): Promise<string>;
  /** Cuts its power. */
  kill(): void;
}

const BOOT_WITHIN_MS = 120_000;
const POLL_MS = 100;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const collect = (file: string, args: readonly string[], input?: string): Promise<Ran> =>
  new Promise((done) => {
    const options = { env: { PATH: process.env.PATH }, maxBuffer: 2 ** 26 };
    const child = execFile(file, args, options, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code ?? 1) : 0, stdout, text: `${stdout}\n${stderr}` }),
    );
    child.stdin?.end(input);
  });

/** The first process of the machine: the only child of systemd-nspawn. */
const findLeader = (nspawn: number): string | null => {
  try {
    return readFileSync(`/proc/${nspawn}/task/${nspawn}/children`, 'utf8').trim().split(' ')[0] || null;
  } catch {
    return null;
  }
};

let booted = 0;

/** @param root what scripts/test-root has made */
export const bootMachine = async (root: string, name: string): Promise<Machine> => {
  booted += 1;
  const [ipv4, ipv6] = [`198.51.100.${10 + booted}`, `2001:db8::${10 + booted}`];
  const folder = mkdtempSync(join(tmpdir(), `postroom-machine-${name}-`));
  const nspawn = spawn(join(import.meta.dirname, 'boot'), [root, name, folder, ipv4, ipv6], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let console = '';
  for (const stream of [nspawn.stdout, nspawn.stderr]) stream.on('data', (text) => (console += text));
  const end = performance.now() + BOOT_WITHIN_MS;
  const enter = async (words: readonly string[], cwd = '/', input?: string): Promise<Ran> => {
    const leader = findLeader(nspawn.pid ?? 0);
    if (leader === null) return { code: 1, stdout: '', text: `${name} does not run.\n${console}` };
    const inside = ['env', '-i', `PATH=${PATH}`, 'HOME=/root', 'TERM=dumb', 'LANG=C.UTF-8', ...words];
    const shell = ['sh', '-c', 'cd "$0" && exec "$@"', cwd, ...inside];
    return collect('nsenter', ['-t', leader, '-m', '-u', '-i', '-p', '-n', '-C', '--', ...shell], input);
  };
  for (;;) {
    const { stdout } = await enter(['systemctl', 'is-system-running']);
    if (/running|degraded/.test(stdout)) break;
    if (performance.now() > end || nspawn.exitCode !== null) throw new Error(`${name} did not boot.\n${console}`);
    await sleep(POLL_MS);
  }
  const kill = (): void => {
    nspawn.kill('SIGKILL');
  };
  return {
    name,
    ipv4,
    ipv6,
    root: join(folder, 'root'),
    run: (words, { cwd, input } = {}) => enter(words, cwd, input),
    do: async (...words) => {
      const { code, stdout, text } = await enter(words);
      if (code !== 0) throw new Error(`${words.join(' ')}: ${code}\n${text}`);
      return stdout;
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      kill();
      if (nspawn.exitCode === null && nspawn.signalCode === null) {
        await new Promise((resolve) => nspawn.once('exit', resolve));
      }
      await collect('umount', ['-R', '-l', folder]);
      rmdirSync(folder);
    },
  };
};

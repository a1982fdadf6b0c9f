/** The daemon as a process of its own, so that it can be killed as a kernel, a power cut or an operator would. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type InstanceOptions, startInstance, type TestInstance } from './instance.ts';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let main: string | null = null;
/** What an install runs: built once by a process where the sources have changed, unless `scripts/run-tests.ts` started it. */
export const builtServer = (): string => {
  if (main !== null) return main;
  if (process.env.TEST_SLOT === undefined) {
    execFileSync(process.execPath, [inRoot('scripts/build-server.ts'), '--if-stale'], { stdio: 'ignore' });
  }
  main = inRoot('build/server/main.js');
  return main;
};

/** What the unit gives to Node, and the variables of it that decide how much memory the daemon takes. */
const unit = readFileSync(inRoot('systemd/postroom.service'), 'utf8');
const NODE_OPTIONS = unit.match(/--(?:max-semi-space-size=\d+|disable-sigusr1)/g) ?? [];
const ENVIRONMENT = Object.fromEntries(
  [...unit.matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]),
);

/** For `LD_PRELOAD`, by Debian's package faketime. The path's name of the machine is put in by the loader. */
export const FAKETIME = '/usr/$LIB/faketime/libfaketimeMT.so.1';

/** A start takes about a second; a machine that does much else needs longer. */
const READY_WITHIN_MS = 30_000;

/** How a process ended. `code` is null where a signal ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface DaemonProcess {
  readonly pid: number;
  /** Resolves with the listeners of the `ready` line; rejects where the process ends without one. */
  readonly ready: Promise<{ http: string[]; smtp: string[] }>;
  readonly ended: Promise<Exit>;
  /** What it has written so far, on stdout and stderr. */
  output(): string;
  /** Sends the signal; resolves once the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit>;
}

interface ReadyLine {
  msg: 'ready';
  http: string[];
  smtp: string[];
}

const readyLineOf = (output: string): ReadyLine | null => {
  const line = output.split('\n').find((text) => text.includes('"msg":"ready"') && text.endsWith('}'));
  return line === undefined ? null : (JSON.parse(line) as ReadyLine);
};

/** No daemon outlives the process that started it, however that ends. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts `postroom serve` of the built server, with what the unit gives to Node.
 * @param nodeOptions more of them, such as `--cpu-prof`
 * @param env more variables of its environment
 */
export const spawnDaemon = (
  configPath: string,
  nodeOptions: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): DaemonProcess => {
  const node = [...NODE_OPTIONS, ...nodeOptions, builtServer(), 'serve', '--config', configPath];
  const child = spawn(process.execPath, node, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...ENVIRONMENT, ...env },
  });
  running.add(child);
  let output = '';
  let isReady = false;
  const ready = Promise.withResolvers<ReadyLine>();
  const ended = Promise.withResolvers<Exit>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    ready.reject(new Error(`The daemon was not ready within ${READY_WITHIN_MS} ms:\n${output}`));
  }, READY_WITHIN_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const line = isReady ? null : readyLineOf(output);
      if (!line) return;
      isReady = true;
      clearTimeout(timer);
      ready.resolve(line);
    });
  }
  child.once('error', ready.reject);
  child.once('close', (code, signal) => {
    clearTimeout(timer);
    running.delete(child);
    ready.reject(new Error(`The daemon ended with ${signal ?? code} before it was ready:\n${output}`));
    ended.resolve({ code, signal });
  });
  // Who waits for the end alone does not ask whether it was ready.
  ready.promise.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    ended: ended.promise,
    output: () => output,
    end: (signal) => {
      child.kill(signal);
      return ended.promise;
    },
  };
};

/** No file of the process may grow past this: every write to its data fails, as it does on a disk that is full. */
export const limitFiles = (pid: number, bytes: number | 'unlimited'): void => {
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`]);
};

export interface ProcessBox extends AsyncDisposable {
  /** Directory, agents, DNS and receiver. Its own daemon is stopped: the process works on its data. */
  readonly instance: TestInstance;
  readonly daemon: DaemonProcess;
  /** Starts the daemon again, after it has ended, on the same data and ports. */
  start(): Promise<void>;
}

/** Starts a test box with its daemon in a process of its own. Resolves once the daemon is ready. */
export const startProcessBox = async (
  options: InstanceOptions = {},
  nodeOptions: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ProcessBox> => {
  const instance = await startInstance(options);
  await instance.daemon.stop();
  let daemon = spawnDaemon(instance.configPath, nodeOptions, env);
  const close = async () => {
    await daemon.end('SIGKILL');
    await instance[Symbol.asyncDispose]();
  };
  const start = async () => {
    daemon = spawnDaemon(instance.configPath, nodeOptions, env);
    await daemon.ready;
  };
  try {
    await daemon.ready;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    instance,
    get daemon() {
      return daemon;
    },
    start,
    [Symbol.asyncDispose]: close,
  };
};

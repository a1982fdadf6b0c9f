/** What the daemon's process holds, from /proc, and what its log says. */

import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DaemonProcess } from '../../test/harness/process.ts';

/** What Node needs so that {@link liveMebibytes} gets an answer. */
export const REPORTING: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('report-memory.ts', import.meta.url)),
];

const LOOK_EVERY_MS = 50;
const ANSWER_WITHIN_MS = 10_000;
const MIB = 2 ** 20;

/** What the daemon's main thread holds after a collection, in MiB: its heap, and what stands beside it. */
export const liveMebibytes = async ({ pid, output }: DaemonProcess): Promise<number> => {
  const start = output().length;
  process.kill(pid, 'SIGUSR2');
  for (let waited = 0; waited < ANSWER_WITHIN_MS; waited += LOOK_EVERY_MS) {
    await delay(LOOK_EVERY_MS);
    const octets = /"msg":"memory","octets":(\d+)/.exec(output().slice(start))?.[1];
    if (octets !== undefined) return Math.round(Number(octets) / MIB);
  }
  throw new Error('The daemon did not say what memory it holds');
};

export const openSockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

export interface LoggedFault {
  /** What tells it from other faults. */
  readonly what: string;
  readonly line: string;
}

interface LogLine {
  level?: string;
  msg?: string;
  err?: { message?: string; stack?: string };
}

const faultIn = (line: string): LoggedFault | null => {
  if (!line.startsWith('{')) {
    // Node's own last words, and whatever else is no entry of the log.
    return /\b(?:Error|FATAL|Warning|UnhandledPromise|at .*:\d+:\d+)/.test(line)
      ? { what: line.slice(0, 120), line }
      : null;
  }
  const { level, msg, err } = JSON.parse(line) as LogLine;
  if (level !== 'error' && level !== 'fatal') return null;
  const place =
    err?.stack
      ?.split('\n')
      .find((row) => row.includes('/src/'))
      ?.trim() ?? '';
  return { what: `${msg}: ${err?.message?.slice(0, 80)} ${place}`, line };
};

/** Looks through what was written since the last look. */
export const createLogReader = (output: () => string): (() => LoggedFault[]) => {
  let read = 0;
  return () => {
    const text = output();
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(read, end).split('\n');
    read = Math.max(read, end);
    return lines.flatMap((line) => (line === '' ? [] : (faultIn(line) ?? [])));
  };
};

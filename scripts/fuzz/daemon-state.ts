/** What the daemon's process holds, from /proc, and what its log says. */

import { readdirSync, readlinkSync } from 'node:fs';

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

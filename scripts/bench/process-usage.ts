/** What processes have cost so far, from /proc. */

import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, whatever its clock. */
const TICKS_PER_SECOND = 100;

/** utime, stime, cutime and cstime: fields 14 to 17 of proc_pid_stat(5), behind the name, which may hold anything. */
const ticksOf = (task: number | string, withEnded: boolean): number => {
  const stat = readFileSync(`/proc/${task}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, withEnded ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Of the process with all its threads. */
export const cpuSeconds = (pid: number): number => ticksOf(pid, false) / TICKS_PER_SECOND;

/** Of the thread with the event loop. */
export const mainThreadSeconds = (pid: number): number => ticksOf(`${pid}/task/${pid}`, false) / TICKS_PER_SECOND;

/** Of the process and its children, those that have ended included. */
export const familyCpuSeconds = (pid: number): number => {
  const children = childrenOf(pid).map((child) => {
    try {
      return ticksOf(child, false);
    } catch {
      // It has ended since, and stands in its parent's sum the next time.
      return 0;
    }
  });
  return children.reduce((sum, ticks) => sum + ticks, ticksOf(pid, true)) / TICKS_PER_SECOND;
};

const mebibytes = (pid: number, field: string): number => {
  const kib = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
};

/** The memory that the process holds now, in MiB. */
export const residentMebibytes = (pid: number): number => mebibytes(pid, 'VmRSS');

/** The most memory that the process has held at once, in MiB. */
export const peakMebibytes = (pid: number): number => mebibytes(pid, 'VmHWM');

/** The mail log's own files, one a day in JSON lines, for tracing a mail; the log has the same lines. */

import { chmodSync, createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Clock, DAY, isoTime } from '../kernel/clock.ts';
import type { MailLine } from './mail-log.ts';

const NAME = /^mail-\d{4}-\d{2}-\d{2}\.log$/;
/** Octets of one day; later lines are in the log only. */
const MAX_DAY_BYTES = 256 * 1024 * 1024;
/** Lines are buffered for so long, and written together. */
const WRITE_EVERY_MS = 500;
/** Lines buffered while the disk is slow; others are in the log only. */
const MAX_WAITING = 20_000;

export interface MailLogFiles {
  append(line: MailLine): void;
  /** Removes expired days. */
  purge(keepDays: number): void;
  /** Resolves once buffered lines are on disk. */
  close(): Promise<void>;
}

/** @param folder created where it is missing, mode 0700 */
export const openMailLogFiles = (folder: string, clock: Clock, onError: (error: unknown) => void): MailLogFiles => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const lines = waiting.join('');
    waiting = [];
    const path = join(folder, `mail-${isoTime(clock.now()).slice(0, 10)}.log`);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_DAY_BYTES) return;
    await appendFile(path, lines, { mode: 0o600 });
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write).catch(onError);
    return writing;
  };
  const timer = setInterval(flush, WRITE_EVERY_MS).unref();
  return {
    append: (line) => {
      if (waiting.length >= MAX_WAITING) return;
      waiting.push(`${JSON.stringify({ time: isoTime(clock.now()), ...line })}\n`);
    },
    purge: (keepDays) => {
      const oldest = `mail-${isoTime(clock.now() - keepDays * DAY).slice(0, 10)}.log`;
      for (const name of readdirSync(folder)) if (NAME.test(name) && name < oldest) rmSync(join(folder, name));
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};

export type LoggedLine = MailLine & { time: string };

/** The lines that `isWanted` selects, by time, of all kept days. */
export async function* readMailLog(
  folder: string,
  isWanted: (line: LoggedLine) => boolean,
): AsyncGenerator<LoggedLine> {
  const names = statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder).filter((name) => NAME.test(name))
    : [];
  for (const name of names.sort()) {
    for await (const text of createInterface({ input: createReadStream(join(folder, name)) })) {
      const line = parseLine(text);
      if (line && isWanted(line)) yield line;
    }
  }
}

/** Null for a line that was cut by a crash. */
const parseLine = (text: string): LoggedLine | null => {
  try {
    return JSON.parse(text) as LoggedLine;
  } catch {
    return null;
  }
};

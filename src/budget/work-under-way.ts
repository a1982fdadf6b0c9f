/**
 * Long work, as owners see how far it is: of the daemon and of commands beside it. Each has a file in the data directory
 * while it runs, which ends with its process.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, SECOND } from '../kernel/clock.ts';
import type { WorkspaceId } from '../kernel/ids.ts';

const itemShape = z.object({
  kind: z.enum(['import', 'export', 'backup']),
  /** Null: of the instance. */
  workspaceId: z.string().nullable() as unknown as z.ZodType<WorkspaceId | null>,
  /** What it works on: `contacts`, `mail of sales`; null: all data. */
  name: z.string().nullable(),
  /** Epoch milliseconds. */
  since: z.int(),
  done: z.number(),
  /** Null: not known. */
  total: z.number().nullable(),
});
export type WorkItem = z.infer<typeof itemShape>;

export interface WorkUnderWay {
  /** Lists it until `work` ends, also by an error. */
  run<T>(of: Omit<WorkItem, 'since' | 'done'>, work: (advance: (by: number) => void) => Promise<T>): Promise<T>;
  /** Work of the instance and of all workspaces, the first begun first. */
  list(): WorkItem[];
}

const FOLDER = 'work';
const EVERY_MS = SECOND;
const FORM = /^(\d+-\d+)-\d+\.json$/;

let count = 0;

/** A folder that takes no file loses the note, not the work. */
const attempt = <T>(work: () => T): T | null => {
  try {
    return work();
  } catch {
    return null;
  }
};

/**
 * A process by its id and the time of its start: another may have its id later, in a container at once. The time is
 * field 22 of proc_pid_stat(5). The fields stand behind the name, which may have any character. Null: it has ended.
 */
const nameProcess = (pid: number): string | null => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat && `${pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
};

export const createWorkUnderWay = (clock: Pick<Clock, 'now'>, dataDir: string): WorkUnderWay => {
  const folder = join(dataDir, FOLDER);
  const write = (file: string, item: WorkItem): void => {
    attempt(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify(item), { mode: 0o600 });
    });
  };
  return {
    run: async (of, work) => {
      count += 1;
      const file = join(folder, `${nameProcess(process.pid)}-${count}.json`);
      const item: WorkItem = { ...of, since: clock.now(), done: 0 };
      let written = clock.now();
      write(file, item);
      try {
        return await work((by) => {
          item.done += by;
          if (Math.abs(clock.now() - written) < EVERY_MS) return;
          written = clock.now();
          write(file, item);
        });
      } finally {
        attempt(() => rmSync(file, { force: true }));
      }
    },
    list: () =>
      (attempt(() => readdirSync(folder)) ?? [])
        .flatMap((name) => {
          const path = join(folder, name);
          const owner = FORM.exec(name)?.[1];
          if (owner === undefined) return [];
          if (nameProcess(Number.parseInt(owner, 10)) === owner)
            return attempt(() => itemShape.parse(JSON.parse(readFileSync(path, 'utf8')))) ?? [];
          // Its process was killed.
          attempt(() => rmSync(path, { force: true }));
          return [];
        })
        .sort((one, other) => one.since - other.since),
  };
};

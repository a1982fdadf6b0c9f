/** What the daemon does of the console's instance operations: the doctor's visits, and backups in the data directory. */

import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { InstanceActs, WrittenBackup } from '../../resources/instance/service.ts';
import { dataFilesOf } from '../../store/data-files.ts';
import { findLastVisit, visit } from '../doctor/visits.ts';
import type { Storage } from '../storage.ts';

const FOLDER = 'backups';
const FORM = /^postroom-\d{8}T\d{6}\.backup$/;
/** Older ones that the console wrote are removed once a new one is there. */
const KEPT = 5;
/** A snapshot, and its compressed form beside it. */
const ROOM_FACTOR = 2;

export const createInstanceActs = (config: Config, storage: Storage): InstanceActs => {
  const folder = join(config.data_dir, FOLDER);
  const { file: data } = config.storage.url;

  const listBackups = async (): Promise<WrittenBackup[]> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => FORM.test(name)).sort();
    return Promise.all(
      names.toReversed().map(async (name) => {
        const file = join(folder, name);
        const { size, mtimeMs } = await stat(file);
        return { file, octets: size, at: Math.round(mtimeMs) };
      }),
    );
  };

  const requireRoom = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize > (await stat(data)).size * ROOM_FACTOR) return;
    throw new ApiError('overloaded', { hint: 'The disk has too little room for a backup. Free some.' });
  };

  return {
    lastVisit: () => findLastVisit(storage),
    examine: () => visit(storage),
    listBackups,
    backUp: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireRoom();
      const at = storage.runtime.clock.now();
      const stamp = new Date(at).toISOString().replace(/[-:]|\.\d+Z$/g, '');
      const file = join(folder, `postroom-${stamp}.backup`);
      const octets = await dataFilesOf(config.storage.url).backUpAside(file);
      for (const old of (await listBackups()).slice(KEPT)) {
        if (basename(old.file) !== basename(file)) await rm(old.file);
      }
      return { file, octets, at };
    },
  };
};

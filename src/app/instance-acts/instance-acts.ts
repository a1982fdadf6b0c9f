/** The daemon's part of the console's instance operations: the doctor's visits, and backups in the data directory. */

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Config, opensSignup } from '../../config/config.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isNightly, listNotedBackups, NIGHTLY } from '../../kernel/files/written-backups.ts';
import type { InstanceActs, WrittenBackup } from '../../resources/instance/service.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { dataFilesOf } from '../../store/data-files.ts';
import { listMessages } from '../../store/mail/messages.ts';
import { BackupError } from '../../store/store-errors.ts';
import { findLastVisit, visit } from '../doctor/visits.ts';
import type { Storage } from '../storage.ts';

const FOLDER = 'backups';
const FORM = /^postroom-(\d{8})T\d{6}\.backup$/;
const LISTED_BACKUPS = 20;
/** Backups of the console that a new one leaves: the newest, and the newest of each of the last days. */
const KEPT = 5;
const KEPT_DAYS = 7;
/** Space for a snapshot and its compressed form. */
const ROOM_FACTOR = 2;
/** Mails to the operator that are listed. */
const LISTED_MAILS = 20;

/** @param backups the newest first */
const outlived = (backups: readonly WrittenBackup[]): WrittenBackup[] => {
  const dayOf = ({ file }: WrittenBackup) => FORM.exec(basename(file))?.[1];
  const newestOfDay = new Map(backups.toReversed().map((backup) => [dayOf(backup), backup]));
  const ofDays = new Set([...newestOfDay.values()].toReversed().slice(0, KEPT_DAYS));
  return backups.slice(KEPT).filter((backup) => !ofDays.has(backup));
};

export const createInstanceActs = (config: Config, storage: Storage): InstanceActs => {
  const folder = join(config.data_dir, FOLDER);
  const data = dataFilesOf(config.storage.url);

  const listFolder = async (form: RegExp, by: WrittenBackup['by']): Promise<WrittenBackup[]> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => form.test(name)).sort();
    const found = names.toReversed().map(async (name) => {
      const file = join(folder, name);
      // A file that was removed meanwhile is left out.
      const info = await stat(file).catch(() => null);
      return info ? [{ file, octets: info.size, at: Math.round(info.mtimeMs), by }] : [];
    });
    return (await Promise.all(found)).flat();
  };

  const listNoted = async (): Promise<WrittenBackup[]> =>
    (await listNotedBackups(config.data_dir)).map((each) => ({ ...each, by: isNightly(each) ? 'nightly' : 'command' }));

  const listBackups = async (): Promise<WrittenBackup[] | null> => {
    if (!data.hasBackups) return null;
    const all = [
      ...(await listFolder(FORM, 'console')),
      ...(await listFolder(NIGHTLY, 'nightly')),
      ...(await listNoted()),
    ];
    const byFile = new Map(all.toReversed().map((each) => [each.file, each]));
    return [...byFile.values()].sort((one, other) => other.at - one.at).slice(0, LISTED_BACKUPS);
  };

  const requireRoom = async (): Promise<void> => {
    if ((await data.freeBytes(folder)) > ((await data.size()) ?? 0) * ROOM_FACTOR) return;
    throw new ApiError('overloaded', { hint: 'The disk has too little room for a backup. Free some.' });
  };

  return {
    opensSignup: opensSignup(config),
    operatorAddress: config.operator.address,
    listOperatorMail: async () => {
      const id = storage.systemAgents?.operatorMail;
      const agent = id && (await findAgentById(storage.store.read, id));
      if (!agent) return [];
      const filter = {
        direction: 'in' as const,
        includeArchived: true,
        unreadOnly: false,
        threadId: null,
        before: null,
        limit: LISTED_MAILS,
      };
      return listMessages(storage.store.read, agent.mailboxId, filter);
    },
    lastVisit: () => findLastVisit(storage),
    examine: () => visit(storage),
    listBackups,
    backUp: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireRoom();
      const at = storage.runtime.clock.now();
      const stamp = new Date(at).toISOString().replace(/[-:]|\.\d+Z$/g, '');
      const file = join(folder, `postroom-${stamp}.backup`);
      const octets = await data.backUpAside(file).catch((error: unknown) => {
        throw error instanceof BackupError ? new ApiError('overloaded', { hint: error.message }) : error;
      });
      for (const old of outlived(await listFolder(FORM, 'console'))) await rm(old.file);
      return { file, octets, at, by: 'console' };
    },
  };
};

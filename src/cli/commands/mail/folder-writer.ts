/** Writes a folder with one file (.eml) for each mail, with its stored octets. */

import {
  closeSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isoTime } from '../../../kernel/clock.ts';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import { syncPath } from '../../../kernel/files/sync.ts';
import { codeOf } from '../../../kernel/text/message-of.ts';
import { refused } from '../../failure.ts';
import { FILE_MODE, FOLDER_MODE, type MailWriter, PARTIAL, type WrittenMail } from './mail-writer.ts';

/** Sorts by time; the same mail gets the same name at each export. */
const nameOf = ({ at, direction, id }: WrittenMail): string =>
  `${isoTime(at).replaceAll(/[:.]/g, '-')}-${direction}-${id}.eml`;

/** Whether deleting it would lose only exported mail. */
const holdsMailsAlone = (folder: string): boolean =>
  readdirSync(folder, { withFileTypes: true }).every((entry) => entry.isFile() && entry.name.endsWith('.eml'));

const requireReplaceable = (path: string, force: boolean): void => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) throw refused(`${path} is no folder. Name another.`);
  if (readdirSync(path).length === 0) return;
  if (!force) throw refused(`${path} is not empty. Name another folder, or replace its mail by --force.`);
  if (!holdsMailsAlone(path)) throw refused(`${path} holds more than .eml files, which --force does not remove.`);
};

const makePartial = (path: string, partial: string): void => {
  if (statSync(partial, { throwIfNoEntry: false })?.isDirectory() && !holdsMailsAlone(partial)) {
    throw refused(`${partial} is in the way, and holds more than .eml files. Move it away.`);
  }
  rmSync(partial, { recursive: true, force: true });
  try {
    mkdirSync(partial, { mode: FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw refused(`There is no folder ${dirname(path)}. Make it, or name another.`);
  }
};

export const createFolderWriter = async (path: string, force: boolean): Promise<MailWriter> => {
  const partial = `${path}${PARTIAL}`;
  asCaller(() => {
    requireReplaceable(path, force);
    makePartial(path, partial);
  });
  return {
    add: async (mail) =>
      asCaller(() => {
        const file = openSync(join(partial, nameOf(mail)), 'wx', FILE_MODE);
        try {
          writeFileSync(file, mail.octets);
          // An import uses the file's time where the mail has none.
          futimesSync(file, mail.at / 1000, mail.at / 1000);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
      }),
    publish: async () =>
      asCaller(() => {
        syncPath(partial);
        requireReplaceable(path, force);
        rmSync(path, { recursive: true, force: true });
        renameSync(partial, path);
        syncPath(dirname(path));
      }),
    discard: async () => asCaller(() => rmSync(partial, { recursive: true, force: true })),
  };
};

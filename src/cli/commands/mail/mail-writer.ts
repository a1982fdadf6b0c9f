/** Writes exported mail. Until `publish` it stands beside the target, under a name that marks it as partial. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  futimesSync,
  linkSync,
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
import { formatMboxMessage } from '../../../mail/mbox/mbox-message.ts';
import { refused } from '../../failure.ts';

export interface WrittenMail {
  id: string;
  direction: 'in' | 'out';
  /** The envelope's sender; '' for the null sender. */
  sender: string;
  /** Epoch milliseconds. */
  at: number;
  octets: Buffer;
}

export interface MailWriter {
  add(mail: WrittenMail): Promise<void>;
  /** Syncs everything to disk and renames it to the target. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

const PARTIAL = '.partial';
/** Only the owner may read mail. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const isThere = (path: string) => refused(`${path} exists. Name another file, or replace it by --force.`);

const toError = (path: string, error: unknown): unknown => {
  const code = codeOf(error);
  if (code === 'ENOENT') return refused(`There is no folder ${dirname(path)}. Make it, or name another.`);
  return code === 'EEXIST' ? isThere(path) : error;
};

export const createMboxWriter = async (path: string, force: boolean): Promise<MailWriter> => {
  const partial = `${path}${PARTIAL}`;
  const file = asCaller(() => {
    if (!force && existsSync(path)) throw isThere(path);
    try {
      // Left by an interrupted export.
      rmSync(partial, { force: true });
      return openSync(partial, 'wx', FILE_MODE);
    } catch (error) {
      throw toError(path, error);
    }
  });
  return {
    add: async ({ sender, at, octets }) => {
      for (const piece of formatMboxMessage(sender, at, octets)) writeFileSync(file, piece);
    },
    publish: async () => {
      fsyncSync(file);
      closeSync(file);
      asCaller(() => {
        try {
          // A link, unlike a rename, replaces nothing.
          if (force) renameSync(partial, path);
          else linkSync(partial, path);
        } catch (error) {
          throw toError(path, error);
        } finally {
          rmSync(partial, { force: true });
        }
        syncPath(dirname(path));
      });
    },
    discard: async () => {
      closeSync(file);
      asCaller(() => rmSync(partial, { force: true }));
    },
  };
};

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

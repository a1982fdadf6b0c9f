/** Writes one mbox (RFC 4155, quoted as mboxrd). */

import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncPath } from '../../../kernel/files/sync.ts';
import { codeOf } from '../../../kernel/text/message-of.ts';
import { formatMboxMessage } from '../../../mail/mbox/mbox-message.ts';
import { refused } from '../../failure.ts';
import { FILE_MODE, type MailWriter, PARTIAL } from './mail-writer.ts';

const isThere = (path: string) => refused(`${path} exists. Name another file, or replace it by --force.`);

const toError = (path: string, error: unknown): unknown => {
  const code = codeOf(error);
  if (code === 'ENOENT') return refused(`There is no folder ${dirname(path)}. Make it, or name another.`);
  return code === 'EEXIST' ? isThere(path) : error;
};

export const createMboxWriter = async (path: string, force: boolean): Promise<MailWriter> => {
  if (!force && existsSync(path)) throw isThere(path);
  const partial = `${path}${PARTIAL}`;
  // Left by an interrupted export.
  rmSync(partial, { force: true });
  const file = await open(partial, 'wx', FILE_MODE).catch((error: unknown) => {
    throw toError(path, error);
  });
  return {
    add: async ({ sender, at, octets }) => {
      for (const piece of formatMboxMessage(sender, at, octets)) await file.appendFile(piece);
    },
    publish: async () => {
      await file.sync();
      await file.close();
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
    },
    discard: async () => {
      await file.close();
      rmSync(partial, { force: true });
    },
  };
};

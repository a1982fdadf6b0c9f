/** Writes one mbox (RFC 4155, quoted as mboxrd). */

import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
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

/**
 * Keeps ACME's files (certificates with their keys, the account) as sealed rows as well: another box has them when it
 * serves, and so has a backup. Of a file and its row, the newer one replaces the other.
 */

import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SECOND } from '../../kernel/clock.ts';
import { replaceFile } from '../../kernel/files/replace-file.ts';
import { open, seal } from '../../seal/envelope.ts';
import { listSettings, putSetting } from '../../store/settings.ts';
import { EVERY_MINUTE } from '../jobs.ts';
import type { Network } from '../network.ts';
import type { Part } from '../part.ts';
import type { Storage } from '../storage.ts';

const BEGINNING = 'tls/';
/** A host's name with `.pem`, or an account; no path. */
const FORM = /^[\w-][\w.-]*\.(?:pem|json)$/;

const keptFile = z.object({ at: z.number(), text: z.string() });
type KeptFile = z.infer<typeof keptFile>;

const readFiles = (folder: string): Map<string, KeptFile> =>
  new Map(
    readdirSync(folder)
      .filter((name) => FORM.test(name))
      .map((name) => {
        const path = join(folder, name);
        return [name, { at: Math.round(statSync(path).mtimeMs), text: readFileSync(path, 'utf8') }];
      }),
  );

/** Leaves out what does not open: a row of another key is replaced by the file. */
const readRows = async ({ store }: Pick<Storage, 'store'>, vaultKey: Buffer): Promise<Map<string, KeptFile>> => {
  const rows = [...(await listSettings(store.read, BEGINNING))].flatMap(([setting, sealed]) => {
    const name = setting.slice(BEGINNING.length);
    const text = open(vaultKey, sealed, setting);
    return text && FORM.test(name) ? [[name, keptFile.parse(JSON.parse(text.toString()))] as const] : [];
  });
  return new Map(rows);
};

/** @returns whether a file was written */
export const keepFiles = async (folder: string, storage: Pick<Storage, 'store' | 'vaultKey'>): Promise<boolean> => {
  const { store, vaultKey } = storage;
  if (!vaultKey) return false;
  const [files, rows] = [readFiles(folder), await readRows(storage, vaultKey)];
  const isNewer = (one: KeptFile, other: KeptFile | undefined): boolean => !other || one.at > other.at;
  const toFiles = [...rows].filter(([name, row]) => isNewer(row, files.get(name)));
  const toRows = [...files].filter(([name, file]) => isNewer(file, rows.get(name)));
  for (const [name, { at, text }] of toFiles) {
    const path = join(folder, name);
    replaceFile(path, text, 0o600);
    utimesSync(path, at / SECOND, at / SECOND);
  }
  if (toRows.length > 0) {
    await store.write(async (tx) => {
      for (const [name, file] of toRows) {
        const setting = `${BEGINNING}${name}`;
        await putSetting(tx, setting, seal(vaultKey, Buffer.from(JSON.stringify(file)), setting));
      }
    });
  }
  return toFiles.length > 0;
};

/** Started before the listeners are. The box that leads orders for all. */
export const createKeptFiles = ({ acme }: Pick<Network, 'acme'>, storage: Storage): Part => {
  const start = async () => {
    if (acme && (await keepFiles(acme.folder, storage))) acme.certificates.reload();
  };
  return { start, jobs: [{ name: 'keep certificates', pattern: EVERY_MINUTE, run: start }] };
};

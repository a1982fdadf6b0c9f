/** The files that a backup carries beside the data, and their place on another machine. */

import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { parseConfig } from '../../../config/config-text.ts';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import { openByPassphrase, sealByPassphrase } from '../../../seal/passphrase.ts';
import type { CarriedFile } from '../../../store/data-files.ts';
import { placeForNewConfig } from '../../config-file.ts';
import { refused } from '../../failure.ts';

export type { CarriedFile } from '../../../store/data-files.ts';

/** Folders of data_dir: certificates with the ACME account, and the mail log. */
const DATA_FOLDERS = ['tls', 'log'];
const OWNER_ALONE = 0o600;

const read = (kind: CarriedFile['kind'], path: string, name: string): CarriedFile => ({
  kind,
  name,
  mode: statSync(path).mode & 0o777,
  bytes: readFileSync(path),
});

const readPassphrase = (file: string): string => {
  const [line = ''] = asCaller(() => readFileSync(file, 'utf8')).split('\n');
  if (line.trim() === '') throw refused(`${file} holds no passphrase in its first line.`);
  return line;
};

export const sealKey = ({ vault }: Config, passphraseFile: string): CarriedFile => {
  const bytes = sealByPassphrase(
    asCaller(() => readFileSync(vault.key_file)),
    readPassphrase(passphraseFile),
  );
  return { kind: 'key', name: "the vault's key, sealed", mode: 0o400, bytes };
};

/** Files outside of data_dir that the config names, except the vault's key. */
export const namedFiles = ({ tls, network, plans, knowledge }: Config): string[] =>
  [tls.cert_file, tls.key_file, network.extra_ca_file, plans.file, knowledge.embeddings.api_key_file].filter(
    (path) => path !== null,
  );

/** The config, the files that it names, and the files beside the database, each read when it is asked for. */
export function* collectFiles(config: Config, configPath: string): Generator<CarriedFile> {
  yield asCaller(() => read('config', configPath, configPath));
  for (const path of namedFiles(config)) yield asCaller(() => read('path', path, path));
  for (const folder of DATA_FOLDERS) {
    const path = join(config.data_dir, folder);
    for (const entry of existsSync(path) ? readdirSync(path, { recursive: true, withFileTypes: true }) : []) {
      const file = join(entry.parentPath, entry.name);
      // Not as root: the service may have placed links here. The mail log's oldest day may end meanwhile.
      if (entry.isFile() && existsSync(file)) yield read('data', file, file.slice(config.data_dir.length + 1));
    }
  }
}

/**
 * Gives the file the owner of the folder `like`, because root writes it and the service reads it. New folders can be
 * entered, whatever root's umask is; the file's own mode guards it.
 */
const write = (path: string, { bytes, mode }: CarriedFile, like: string): void => {
  const umask = process.umask(0o022);
  mkdirSync(dirname(path), { recursive: true });
  process.umask(umask);
  writeFileSync(path, bytes, { flag: 'wx', mode });
  const { uid, gid } = statSync(like);
  chownSync(path, uid, gid);
};

const ON_DISK = '/var/tmp';

/** For large files (FHS 3.0 section 5.15): /tmp may be memory. A container may have /tmp alone. */
const findTemporaryFolder = (): string => {
  try {
    accessSync(ON_DISK, constants.W_OK);
    return ON_DISK;
  } catch {
    return tmpdir();
  }
};

/** Reads the files of a backup from a temporary copy, which has all its data. */
const peek = async (backup: string): Promise<CarriedFile[]> => {
  const { takeCarriedFiles, dataFilesOf } = await import('../../../store/data-files.ts');
  const folder = mkdtempSync(join(findTemporaryFolder(), 'postroom-restore-'));
  try {
    const file = join(folder, 'copy.db');
    await dataFilesOf({ engine: 'sqlite', file }).unpack(backup, file);
    return takeCarriedFiles(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export interface CarriedConfig {
  readonly config: Config;
  /** Writes config and key, with the rights of the caller. */
  place(): void;
}

/**
 * The config of a backup, for a machine without one. Nothing is written before `place`.
 * @throws {CommandError} where a config exists, the backup has none, or the passphrase is wrong
 */
export const readCarriedConfig = async (
  backup: string,
  configFlag: string | undefined,
  passphraseFile: string | undefined,
): Promise<CarriedConfig> => {
  const target = placeForNewConfig({ flag: configFlag });
  const carried = await peek(backup);
  const written = carried.find(({ kind }) => kind === 'config');
  if (!written) throw refused(`${backup} carries no config: it was made without --with-config.`);
  const config = parseConfig(written.bytes.toString(), target);
  const sealed = carried.find(({ kind }) => kind === 'key');
  const key = sealed && !existsSync(config.vault.key_file) ? openKey(sealed, passphraseFile) : null;
  return {
    config,
    place: () =>
      asCaller(() => {
        const { vault, data_dir: dataDir } = config;
        if (key) write(vault.key_file, key, existsSync(dataDir) ? dataDir : dirname(target));
        write(target, { ...written, mode: 0o640 }, dirname(target));
      }),
  };
};

const openKey = (sealed: CarriedFile, passphraseFile: string | undefined): CarriedFile => {
  if (passphraseFile === undefined) throw refused('The key in it wants --passphrase-file.');
  const bytes = openByPassphrase(sealed.bytes, readPassphrase(passphraseFile));
  if (bytes === null) throw refused('The passphrase is another than that of the backup. Nothing was changed.');
  return { ...sealed, bytes };
};

/** Writes missing files: those beside the data, and those that the config names. @returns the written ones */
export const placeFiles = (config: Config, carried: readonly CarriedFile[]): string[] =>
  carried.flatMap((file) => {
    if (file.kind !== 'data' && file.kind !== 'path') return [];
    const path = file.kind === 'data' ? join(config.data_dir, file.name) : file.name;
    // A backup's file name may lead only into these folders.
    const isOurs = DATA_FOLDERS.some((folder) => path.startsWith(join(config.data_dir, folder, '/')));
    if (existsSync(path) || !(file.kind === 'data' ? isOurs : namedFiles(config).includes(path))) return [];
    // The service's user writes within data_dir, the caller elsewhere: such a file was readable by a group, or an ACL, of
    // the machine before, and is the service's own here.
    if (file.kind === 'path') asCaller(() => write(path, file, config.data_dir));
    else {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, file.bytes, { flag: 'wx', mode: file.mode & OWNER_ALONE });
    }
    return [path];
  });

/** `postroom backup`, `restore`: the data, and the other files that a new machine needs, in one file. */

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createWorkUnderWay } from '../../../budget/work-under-way.ts';
import type { Config } from '../../../config/config.ts';
import { formatStorage } from '../../../config/config-values.ts';
import { checkFile, checkVaultKey } from '../../../doctor/check-data.ts';
import { type Finding, isSound } from '../../../doctor/finding.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { asCaller, becomeOwnerOf } from '../../../kernel/files/caller-rights.ts';
import { noteBackup } from '../../../kernel/files/written-backups.ts';
import { command, flag, optional, required, withInstance } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { confirm } from '../../confirm.ts';
import { refused, wrongUsage } from '../../failure.ts';
import { details } from '../../table.ts';
import { type CarriedFile, collectFiles, placeFiles, readCarriedConfig, sealKey } from './carried-files.ts';
import { answerWith, filesOf, requireData, verify } from './data.ts';

const passphraseFile = optional('F', 'a file whose first line is the passphrase of the key in the backup');

const backup = command({
  name: 'backup',
  summary: 'writes all data as one moment has it into one compressed file, while the daemon serves',
  namesFiles: true,
  operands: { file: required('FILE', 'a new file; one that is there is not replaced') },
  options: {
    'with-config': flag('takes config, certificates and the mail log along, for another machine'),
    'with-key': flag("takes the vault's key along too, sealed by a passphrase"),
    'passphrase-file': passphraseFile,
  },
  run: async (given, { configFlag }) => {
    const { config, path: configPath } = loadConfig({ flag: configFlag });
    await requireData(config);
    if (given['with-key'] !== (given['passphrase-file'] !== undefined)) {
      throw wrongUsage('--with-key and --passphrase-file go together: the key leaves this machine sealed alone.');
    }
    const path = resolve(given.file);
    const key = given['passphrase-file'] === undefined ? [] : [sealKey(config, given['passphrase-file'])];
    const names: string[] = [];
    function* carry(): Generator<CarriedFile> {
      if (given['with-config']) yield* collectFiles(config, configPath);
      yield* key;
    }
    const carried = carry().map((file) => {
      names.push(file.name);
      return file;
    });
    const files = await filesOf(config);
    const underWay = createWorkUnderWay(systemClock, config.data_dir);
    const size = await underWay.run({ kind: 'backup', workspaceId: null, name: null, total: null }, () =>
      files.backUp(path, carried),
    );
    noteBackup(config.data_dir, { file: path, octets: size, at: Date.now() });
    const { key_file: keyFile } = config.vault;
    const hasKey = given['with-key'];
    return {
      document: { file: path, size, contains_vault_key: hasKey, vault_key_file: keyFile, files: names },
      text: () =>
        [
          details([
            ['file', path],
            ['octets', size],
            ['in it', ['all data', ...names].join(', ')],
            ['not in it', notInIt(given['with-config'], hasKey, keyFile)],
          ]),
          hasKey
            ? 'Keep the passphrase apart from the file: together they open every secret.'
            : `Keep a copy of ${keyFile} elsewhere. Without that no secret and no DKIM key opens.`,
        ].join('\n\n'),
    };
  },
});

const notInIt = (withConfig: boolean, withKey: boolean, keyFile: string): string =>
  [
    ...(withKey ? [] : [`the vault's key ${keyFile} (--with-key)`]),
    ...(withConfig ? [] : ['config, certificates, mail log (--with-config)']),
    'changes made by systemctl edit',
  ].join('; ');

/** Opens a backup in a separate folder, as the daemon would, and verifies it. */
const checkBackup = async (config: Config, file: string): Promise<Finding[]> => {
  const { url } = config.storage;
  const { snapshotBeginning } = await import('../../../store/data-files.ts');
  // The next backup removes it where this check is killed: it is as large as the data.
  const data = url.engine === 'sqlite' ? url.file : join(config.data_dir, 'copy');
  // A new machine has no data directory yet.
  mkdirSync(dirname(data), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(snapshotBeginning(data));
  try {
    const copy = join(folder, 'copy.db');
    const { unpack } = await filesOf(config);
    await unpack(file, copy);
    const ofCopy = { ...config, data_dir: folder, storage: { url: { engine: 'sqlite' as const, file: copy } } };
    const found = checkFile(await (await filesOf(ofCopy)).verify());
    if (!isSound(found)) return found;
    const { openInstance } = await import('../../../app/instance.ts');
    await (await openInstance(ofCopy, { migrates: true })).close();
    // Awaited before the folder is removed.
    return await verify(ofCopy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Empty where the vault's key opens the restored data; the daemon serves without it, but opens no secret. */
const checkKey = async (config: Config): Promise<Finding[]> => {
  const { pending, unknown } = await (await filesOf(config)).schema();
  // Only data of this version's schema is opened.
  if (pending.length + unknown.length > 0) return [];
  const { key_file: keyFile } = config.vault;
  const state = await withInstance(config, ({ store, vaultKeys }) => vaultKeys.state(store.read));
  return [checkVaultKey(state, keyFile)].filter((found) => !isSound([found]));
};

const restore = command({
  name: 'restore',
  summary: 'puts a backup in the place of the data, which the daemon must not have open',
  namesFiles: true,
  operands: { file: required('FILE', 'what `postroom backup` wrote') },
  options: {
    replace: flag('replaces the data that is there; it is kept beside it'),
    check: flag('opens and verifies the backup, and changes nothing; the daemon may serve'),
    'with-config': flag(
      'on a machine without a config: writes config, certificates, mail log and key of the backup too',
    ),
    'passphrase-file': passphraseFile,
    yes: flag('do not ask'),
  },
  run: async ({ file, replace, check, yes, ...given }, { configFlag }) => {
    if (replace && check) throw wrongUsage('--check changes nothing: --replace does not go with it.');
    const path = resolve(file);
    if (!asCaller(() => statSync(path, { throwIfNoEntry: false })?.isFile()))
      throw refused(`There is no such file: ${path}`);
    const moved = given['with-config'] ? await readCarriedConfig(path, configFlag, given['passphrase-file']) : null;
    const { config } = moved ?? loadConfig({ flag: configFlag });
    if (moved) becomeOwnerOf(config.data_dir, { namesFiles: true });
    if (check) return answerWith(await checkBackup(config, path));
    if (replace) await confirm(`Put ${path} in the place of the data?`, yes);
    const { lockDataDirectory } = await import('../../../store/lock-data.ts');
    const lock = lockDataDirectory(config.data_dir);
    try {
      const { kept, carried } = await (await filesOf(config)).restore(path, { replace, now: Date.now() });
      const data = formatStorage(config.storage.url);
      moved?.place();
      const placed = moved ? placeFiles(config, carried) : [];
      const checks = await checkKey(config);
      return {
        document: { restored: data, kept, files: placed, checks },
        text: () =>
          [
            details([['restored', data], ['kept', kept], ...placed.map((each) => ['placed', each] as const)]),
            ...checks.map(({ detail, fix }) => `The vault's key does not open what was restored. ${detail}. ${fix}`),
            'Next: `postroom serve`, which brings an older backup up to this version, and `postroom verify-data`.',
          ].join('\n\n'),
      };
    } finally {
      lock.release();
    }
  },
});

export const backupCommands = [backup, restore];

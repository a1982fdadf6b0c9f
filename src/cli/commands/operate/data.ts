/** `postroom backup`, `restore`, `verify-data`, `migrate`: the data file as a whole. */

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { checkData, checkFile } from '../../../doctor/check-data.ts';
import { type Finding, isSound } from '../../../doctor/finding.ts';
import { type Answer, command } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { EXIT } from '../../exit-codes.ts';
import { refused, wrongUsage } from '../../failure.ts';
import { flag, required } from '../../parameters.ts';
import { details } from '../../table.ts';
import { formatFindings } from '../../text/findings.ts';

// Loaded where they are used: help and a wrong command line cost no start of the store.
const filesOf = async ({ storage }: Config) => (await import('../../../store/data-files.ts')).dataFilesOf(storage.url);

const requireData = ({ storage }: Config): void => {
  if (!existsSync(storage.url.file)) throw refused(`There is no data yet: ${storage.url.file}`);
};

const answerWith = (checks: readonly Finding[]): Answer => {
  const isGood = isSound(checks);
  return {
    document: { ok: isGood, checks },
    text: () => formatFindings(checks),
    exitCode: isGood ? EXIT.done : EXIT.refused,
  };
};

const backup = command({
  name: 'backup',
  summary: 'writes all data as one moment has it into one compressed file, while the daemon serves',
  operands: { file: required('FILE', 'a new file; one that is there is not replaced') },
  options: {},
  run: async ({ file }, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    requireData(config);
    const path = resolve(file);
    const size = await (await filesOf(config)).backUp(path);
    const { key_file: keyFile } = config.vault;
    return {
      document: { file: path, size, contains_vault_key: false, vault_key_file: keyFile },
      text: () =>
        [
          details([
            ['file', path],
            ['octets', size],
          ]),
          `The vault's key is not in it: keep a copy of ${keyFile} elsewhere. Without that no secret and no DKIM key opens.`,
        ].join('\n\n'),
    };
  },
});

/** Verifies the file, and where its schema is this version's what is in it. */
const verify = async (config: Config): Promise<Finding[]> => {
  const found = checkFile((await filesOf(config)).verify());
  if (!found.every(({ status }) => status === 'ok')) return found;
  const { openInstance } = await import('../../../app/instance.ts');
  const instance = await openInstance(config);
  try {
    const { store, activityKey, vaultKeys } = instance;
    const vaultState = await vaultKeys.state(store.read);
    const { key_file: keyFile } = config.vault;
    return [...found, ...(await checkData({ db: store.read, activityKey, vaultState, keyFile }))];
  } finally {
    await instance.close();
  }
};

/** Opens a backup in a folder of its own, as the daemon would, and verifies it. */
const checkBackup = async (config: Config, file: string): Promise<Finding[]> => {
  const folder = mkdtempSync(join(dirname(config.storage.url.file), 'restore-check-'));
  try {
    const copy = join(folder, 'copy.db');
    await (await filesOf(config)).unpack(file, copy);
    const ofCopy = { ...config, data_dir: folder, storage: { url: { ...config.storage.url, file: copy } } };
    const found = checkFile((await filesOf(ofCopy)).verify());
    if (!isSound(found)) return found;
    const { openInstance } = await import('../../../app/instance.ts');
    await (await openInstance(ofCopy, { migrates: true })).close();
    // Awaited: the folder is removed after it.
    return await verify(ofCopy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const restore = command({
  name: 'restore',
  summary: 'puts a backup in the place of the data, which the daemon must not have open',
  operands: { file: required('FILE', 'what `postroom backup` wrote') },
  options: {
    replace: flag('replaces the data that is there; it is kept beside it'),
    check: flag('opens and verifies the backup, and changes nothing; the daemon may serve'),
  },
  run: async ({ file, replace, check }, { configFlag }) => {
    if (replace && check) throw wrongUsage('--check changes nothing: --replace does not go with it.');
    const { config } = loadConfig({ flag: configFlag });
    const path = resolve(file);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw refused(`There is no such file: ${path}`);
    if (check) return answerWith(await checkBackup(config, path));
    const { lockDataDirectory } = await import('../../../store/lock-data.ts');
    const lock = lockDataDirectory(config.data_dir);
    try {
      const kept = await (await filesOf(config)).restore(path, { replace, now: Date.now() });
      const { file: data } = config.storage.url;
      return {
        document: { restored: data, kept },
        text: () =>
          [
            details([
              ['restored', data],
              ['kept', kept],
            ]),
            'Next: `postroom serve`, which brings an older backup up to this version, and `postroom verify-data`.',
          ].join('\n\n'),
      };
    } finally {
      lock.release();
    }
  },
});

const verifyData = command({
  name: 'verify-data',
  summary: 'reads everything that is stored, and says what is damaged; exit code 1 where something is',
  operands: {},
  options: {},
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    requireData(config);
    return answerWith(await verify(config));
  },
});

const migrate = command({
  name: 'migrate',
  summary: "brings the data to this version's schema, as a start of the daemon does; the daemon must not run",
  operands: {},
  options: {},
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    requireData(config);
    const { pending } = (await filesOf(config)).verify().schema;
    const { openInstance } = await import('../../../app/instance.ts');
    await (await openInstance(config, { lock: true, migrates: true })).close();
    return {
      document: { applied: pending },
      text: () => (pending.length === 0 ? 'The data is of this version already.' : `Applied: ${pending.join(', ')}`),
    };
  },
});

export const dataCommands = [backup, restore, verifyData, migrate];

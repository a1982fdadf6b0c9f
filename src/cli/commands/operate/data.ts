/** `postroom verify-data`, `migrate`: the data file as a whole. */

import type { Config } from '../../../config/config.ts';
import { formatStorage } from '../../../config/config-values.ts';
import { checkData, checkFile, checkTextIndex } from '../../../doctor/check-data.ts';
import { type Finding, isSound } from '../../../doctor/finding.ts';
import { type Answer, command, withInstance } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { EXIT, refused } from '../../failure.ts';
import { formatFindings } from '../../text/findings.ts';

// Loaded on use: help and a wrong command line do not load the store.
export const filesOf = async ({ storage }: Config) =>
  (await import('../../../store/data-files.ts')).dataFilesOf(storage.url);

export const requireData = async (config: Config): Promise<void> => {
  if ((await (await filesOf(config)).size()) === null) {
    throw refused(`There is no data yet: ${formatStorage(config.storage.url)}`);
  }
};

export const answerWith = (checks: readonly Finding[]): Answer => {
  const isGood = isSound(checks);
  return {
    document: { ok: isGood, checks },
    text: () => formatFindings(checks),
    exitCode: isGood ? EXIT.done : EXIT.refused,
  };
};

/** Verifies the file and, where its schema is this version's, its content. */
export const verify = async (config: Config): Promise<Finding[]> => {
  const files = await filesOf(config);
  const found = checkFile(await files.verify());
  if (!found.every(({ status }) => status === 'ok')) return found;
  found.push(checkTextIndex(await files.verifyTextIndex()));
  return withInstance(config, async ({ store, activityKey, vaultKeys }) => {
    const vaultState = await vaultKeys.state(store.read);
    const { key_file: keyFile } = config.vault;
    return [...found, ...(await checkData({ db: store.read, activityKey, vaultState, keyFile }))];
  });
};

const verifyData = command({
  name: 'verify-data',
  summary: 'reads everything that is stored, and says what is damaged; exit code 1 where something is',
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    await requireData(config);
    return answerWith(await verify(config));
  },
});

const migrate = command({
  name: 'migrate',
  summary: "brings the data to this version's schema, as a start of the daemon does; the daemon must not run",
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    await requireData(config);
    const { pending } = await (await filesOf(config)).schema();
    const { openInstance } = await import('../../../app/instance.ts');
    await (await openInstance(config, { lock: true, migrates: true })).close();
    return {
      document: { applied: pending },
      text: () => (pending.length === 0 ? 'The data is of this version already.' : `Applied: ${pending.join(', ')}`),
    };
  },
});

export const dataCommands = [verifyData, migrate];

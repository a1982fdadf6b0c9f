/** The instance as a command uses it: opened on the daemon's own data, whether the daemon runs or not. */

import { type Instance, openInstance } from '../app/instance.ts';
import type { Context } from './command.ts';
import { loadConfig } from './config-file.ts';
import { refused } from './failure.ts';

export const withInstance = async <T>(
  { configFlag }: Context,
  work: (instance: Instance) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig({ flag: configFlag });
  const instance = await openInstance(config);
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
};

/** @throws {CommandError} where the key file is missing */
export const requireVaultKey = ({ vaultKey, config }: Instance): Buffer => {
  if (vaultKey) return vaultKey;
  const file = config.vault.key_file;
  throw refused(
    `The vault's key is missing, and DKIM keys are sealed under it: ${file}\n` +
      'Restore the file from your backup of it. `postroom init` makes one for a new box.',
  );
};

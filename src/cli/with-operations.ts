/** Calls operations from a command: on the daemon's data file, beside a running daemon or without one. */

import { userInfo } from 'node:os';
import type { Instance } from '../app/instance.ts';
import type { CallOperation } from '../app/operator-calls.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Context } from './command.ts';
import { loadConfig } from './config-file.ts';
import { type CommandError, refused } from './failure.ts';

/** Opens the config's instance while `work` runs. */
export const withOperations = async <T>(
  { configFlag }: Context,
  work: (call: CallOperation, instance: Instance) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig({ flag: configFlag });
  // Loaded here, so that help and a wrong command line do not load the store.
  const [{ openInstance }, { createOperatorCalls }] = await Promise.all([
    import('../app/instance.ts'),
    import('../app/operator-calls.ts'),
  ]);
  const instance = await openInstance(config);
  const { call, close } = createOperatorCalls(instance, `cli:${userInfo().username}`);
  try {
    return await work(call, instance);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'vault_unavailable') throw missingVaultKey(config);
    throw error;
  } finally {
    await close();
    await instance.close();
  }
};

export const missingVaultKey = ({ vault }: Config): CommandError =>
  refused(
    `The vault's key is missing, or is another than the data was sealed under: ${vault.key_file}\n` +
      'Restore the file from your backup of it. `postroom init` makes one for a new instance.',
  );

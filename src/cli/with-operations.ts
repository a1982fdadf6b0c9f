/** Calls operations from a command: on the daemon's data file, beside a running daemon or without one. */

import type { Instance } from '../app/instance.ts';
import type { CallOperation } from '../app/operator-calls.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerName } from '../kernel/files/caller-rights.ts';
import type { Context } from './command.ts';
import { loadConfig } from './config-file.ts';
import { type CommandError, refused } from './failure.ts';

/** Opens the instance while `work` runs. Loaded here, so that help and a wrong command line do not load the store. */
export const withInstance = async <T>(config: Config, work: (instance: Instance) => Promise<T>): Promise<T> => {
  const { openInstance } = await import('../app/instance.ts');
  const instance = await openInstance(config, { givesWay: true });
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
};

export const withOperations = async <T>(
  { configFlag }: Context,
  work: (call: CallOperation, instance: Instance) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig({ flag: configFlag });
  const { createOperatorCalls } = await import('../app/operator-calls.ts');
  return withInstance(config, async (instance) => {
    const { call, close } = createOperatorCalls(instance, `cli:${callerName()}`);
    try {
      return await work(call, instance);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'vault_unavailable') throw missingVaultKey(config);
      throw error;
    } finally {
      await close();
    }
  });
};

export const missingVaultKey = ({ vault }: Config): CommandError =>
  refused(
    `The vault's key is missing, or is another than the data was sealed under: ${vault.key_file}\n` +
      'Restore the file from your backup of it. `postroom init` makes one for a new instance.',
  );

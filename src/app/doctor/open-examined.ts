/** Opens what the doctor examines, as far as it can be opened: one fault hides no other. */

import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-text.ts';
import { KeyFileError } from '../../seal/key-file.ts';
import { type Instance, openInstance, type Runtime, systemRuntime } from '../instance.ts';

export interface Examined {
  config: Config;
  runtime: Runtime;
  /** Null where the data cannot be opened. */
  instance: Instance | null;
  /** Why not. */
  dataFault: string | null;
  /** Why the key file cannot be used; it is then as if it was missing. */
  keyFault: string | null;
  plansFault: string | null;
}

export const openExamined = async (config: Config): Promise<Examined> => {
  const faults = { dataFault: null, keyFault: null, plansFault: null };
  try {
    const instance = await openInstance(config);
    return { ...faults, config, runtime: instance.runtime, instance };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof KeyFileError) {
      const vault = { ...config.vault, key_file: `${config.vault.key_file}.unusable` };
      return { ...(await openExamined({ ...config, vault })), config, keyFault: text };
    }
    // The config itself was read before; the plans' file is read here.
    if (error instanceof ConfigError && config.plans.file !== null) {
      return { ...(await openExamined({ ...config, plans: { file: null } })), config, plansFault: text };
    }
    return { ...faults, config, runtime: systemRuntime, instance: null, dataFault: text };
  }
};

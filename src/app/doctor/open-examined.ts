/** Opens the parts that the doctor examines, each by itself, so that one fault does not hide others. */

import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-text.ts';
import type { DoctorNeeds } from '../../doctor/check.ts';
import { messageOf } from '../../kernel/text/message-of.ts';
import { KeyFileError } from '../../seal/key-file.ts';
import { type Instance, openInstance, type Runtime, systemRuntime } from '../instance.ts';

export interface Examined extends Pick<DoctorNeeds, 'config' | 'dataFault' | 'keyFault' | 'plansFault'> {
  runtime: Runtime;
  /** Null where the data cannot be opened. */
  instance: Instance | null;
}

export const openExamined = async (config: Config): Promise<Examined> => {
  const faults = { dataFault: null, keyFault: null, plansFault: null };
  try {
    const instance = await openInstance(config);
    return { ...faults, config, runtime: instance.runtime, instance };
  } catch (error) {
    const text = messageOf(error);
    if (error instanceof KeyFileError) {
      const vault = { ...config.vault, key_file: `${config.vault.key_file}.unusable` };
      return { ...(await openExamined({ ...config, vault })), config, keyFault: text };
    }
    // The config was read before; only the plans' file is read here.
    if (error instanceof ConfigError && config.plans.file !== null) {
      return { ...(await openExamined({ ...config, plans: { file: null } })), config, plansFault: text };
    }
    return { ...faults, config, runtime: systemRuntime, instance: null, dataFault: text };
  }
};

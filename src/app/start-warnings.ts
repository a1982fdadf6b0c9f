/** What an operator should know at a start that goes ahead all the same. */

import type { Config } from '../config/config.ts';
import { openToOthers } from '../store/sqlite/private-file.ts';

export const warnOfConfig = (config: Config, log: { warn(fields: object, message: string): void }): void => {
  for (const key of config.without_effect) log.warn({ key }, 'this key of the config has no effect yet');
  const mode = openToOthers(config.data_dir);
  if (mode !== null) {
    const fix = `chmod 700 ${config.data_dir}`;
    log.warn({ data_dir: config.data_dir, mode, fix }, 'other users of this machine can enter the data directory');
  }
};

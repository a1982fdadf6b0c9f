/** The mail log's own files, written line by line and kept for the configured days. */

import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { openMailLogFiles } from '../../mail-log/mail-log-files.ts';
import { EVERY_HOUR, type Job } from '../jobs.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';

/** Where the CLI reads them. */
export const mailLogFolder = ({ data_dir }: Pick<Config, 'data_dir'>): string => join(data_dir, 'log');

export const createMailLogPart = (
  config: Config,
  { runtime }: Storage,
  { mailLog, onError }: Processing,
): { stop: () => Promise<void>; jobs: Job[] } => {
  const files = openMailLogFiles(mailLogFolder(config), runtime.clock, onError);
  mailLog.subscribe(files.append);
  return {
    stop: files.close,
    jobs: [{ name: 'purge mail log', pattern: EVERY_HOUR, run: async () => files.purge(config.mail_log.keep_days) }],
  };
};

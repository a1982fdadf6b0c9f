/** The host of the records, as the config has it. */

import type { Config } from '../../config/config.ts';
import type { MailHost } from '../../domains/records.ts';

export const toMailHost = ({ hostname, tls }: Pick<Config, 'hostname' | 'tls'>): MailHost => ({
  hostname,
  offersTls: tls.mode !== 'off',
});

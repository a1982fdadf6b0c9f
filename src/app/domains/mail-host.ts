/** The host of the records, as the config has it. */

import type { Config } from '../../config/config.ts';
import type { MailHost } from '../../domains/records.ts';

export const toMailHost = ({ hostname, tls, outbound }: Pick<Config, 'hostname' | 'tls' | 'outbound'>): MailHost => ({
  hostname,
  offersTls: tls.mode !== 'off',
  spfIncludes: outbound.spf_include,
});

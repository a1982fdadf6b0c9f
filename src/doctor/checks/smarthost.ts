/** The smarthosts: each accepts a session with its certificate and its sign-in. */

import type { Check } from '../check.ts';
import { fail, ok, warn } from '../finding.ts';

export const checkSmarthosts: Check = async ({ config, signIn }) => {
  const { smarthost, smarthosts, spf_include: includes, local_only: isLocalOnly } = config.outbound;
  if (isLocalOnly) return [];
  const all = [...(smarthost ? [smarthost] : []), ...Object.values(smarthosts).flatMap((each) => each ?? [])];
  const found = await Promise.all(
    all.map(async (each) => {
      const told = `${each.host}:${each.port}`;
      const fault = await signIn(each);
      return fault === null
        ? ok('smarthost', `${told} takes mail${each.credentials === null ? '' : ` of ${each.credentials.user}`}.`)
        : fail(
            'smarthost',
            `${told}: ${fault}`,
            'Correct outbound.smarthost; postroom queue list has the mail that waits.',
          );
    }),
  );
  if (smarthost === null || includes.length > 0) return found;
  const fix =
    'Set outbound.spf_include to what the relay names for SPF, and publish the records anew: postroom dns show DOMAIN';
  return [...found, warn('smarthost_spf', 'No SPF record of a domain permits the smarthost.', fix)];
};

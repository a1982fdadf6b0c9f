/** Notices about a domain of a workspace. */

import { isoTime } from '../kernel/clock.ts';
import type { Domain } from '../store/accounts/domains.ts';
import { code } from './inline-code.ts';

const ownerOnDomain = (email: string): string =>
  `- ${code(email)} is an owner's address on this domain: nothing is mailed there, no sign-in link either. Add an owner elsewhere.`;

export const failingDomainText = ({ name, failingSince, checkResult }: Domain, ownersOn: readonly string[]): string => {
  const lacking = (checkResult?.records ?? []).filter(({ status }) => status !== 'found');
  return [
    `DNS records of **${code(name)}** have been wrong since ${isoTime(failingSince ?? 0).slice(0, 10)}. Its mailboxes go on receiving; what they send is refused with \`domain_not_verified\` until the records are right.`,
    '',
    ...lacking.map(({ type, name: at, status, hint }) => `- ${type} ${code(at)}: ${status}. ${code(hint ?? '')}`),
    ...ownersOn.map(ownerOnDomain),
    '',
    'The domain comes back by itself within a day of the correction, or at once by a check:',
    '',
    `    postroom domains verify ${name}`,
  ].join('\n');
};

export const verifiedDomainText = ({ name }: Domain, ownersOn: readonly string[]): string =>
  [
    `**${code(name)}** is verified: agents of your workspace may have addresses on it from now on, and mail to them is received here.`,
    ...(ownersOn.length === 0 ? [] : ['']),
    ...ownersOn.map(ownerOnDomain),
    '',
    'If you know nothing of it, remove the domain in the console, or on the machine:',
    '',
    `    postroom domains remove ${name}`,
  ].join('\n');

/** The reasons for holding a mail, in sentences and in short. */

import type { Answer } from '../api/client.ts';
import type { LiveEvent } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import type { MarkName } from '../components/marks.tsx';

export type Held = Answer<'heldMail', 'list'>['pending'][number];
export type HeldDetail = Answer<'heldMail', 'get'>;

interface Why {
  mark: MarkName;
  /** In a list. */
  short: string;
  /** The first sentence of the callout. */
  because: string;
  /** The consequence. */
  rule: string;
}

/** Whether sending is stopped: approved mail would be refused. */
export const isStopped = (): boolean =>
  workspace.value?.sending_state === 'paused' || workspace.value?.is_verified === false;

/** Whether the event may have changed the held mail. Every change has an event, also one by the command line. */
export const concernsHeld = (event: LiveEvent | null): boolean =>
  event !== null && (event.event === 'resumed' || event.event.startsWith('approval.'));

type Reasoned = Pick<Held, 'reason' | 'agent'>;

const nameOf = ({ agent }: Reasoned): string => agent ?? 'A removed agent';

const REASONS: Readonly<Record<string, (held: Reasoned) => Why>> = {
  agent_on_hold: (held) => ({
    mark: 'wait',
    short: `${nameOf(held)} is on hold`,
    because: `Held because ${nameOf(held)} is on hold.`,
    rule: 'Every mail of it waits for a person.',
  }),
  guarded: (held) => ({
    mark: 'warn',
    short: 'Follows mail that did not authenticate',
    because:
      'Held because mail that did not authenticate is in its thread, is sent on, or named the address it goes to.',
    rule: `${nameOf(held)} is guarded: such mail waits for you.`,
  }),
  endpoint_waits: (held) => ({
    mark: 'wait',
    short: 'A webhook endpoint',
    because: `${nameOf(held)} is on hold and has set up, or changed, a webhook endpoint.`,
    rule: 'It is told nothing before you allow it; rejected, it ends.',
  }),
  holds_a_secret: () => ({
    mark: 'bad',
    short: 'Holds a secret of the vault',
    because: 'Held because a secret of the vault stands in it.',
    rule: 'Approved, the recipients read the secret.',
  }),
  secrets_not_checked: () => ({
    mark: 'warn',
    short: 'Could not be searched for secrets',
    because: 'Held because it could not be searched for secrets: the key of the vault is missing.',
    rule: 'Look for passwords and keys in it yourself.',
  }),
  guesses_secrets: (held) => ({
    mark: 'bad',
    short: 'Its agent may be guessing secrets',
    because: 'Held because a mail of the last 24 hours held a secret that its agent may not open.',
    rule: `${nameOf(held)} may be trying values until one is held.`,
  }),
};

export const whyHeld = (held: Reasoned): Why =>
  REASONS[held.reason]?.(held) ?? {
    mark: 'wait',
    short: held.reason,
    because: `Held: ${held.reason}.`,
    rule: 'It waits for a person.',
  };

/** The failed checks of the answered mail; null without any. */
export const failedChecksOf = ({ answers }: HeldDetail): string | null => {
  if (!answers?.authentication || answers.direction !== 'in') return null;
  const { spf, dkim, dmarc, from_domain: domain } = answers.authentication;
  if (dmarc === 'pass') return null;
  const claimed = domain ?? splitAddress(answers.from).address.split('@')[1] ?? 'who it says';
  const signature = dkim === 'none' ? 'no DKIM signature' : `DKIM ${dkim}`;
  return `Whoever wrote it may not be ${claimed}: SPF ${spf}, ${signature}, DMARC ${dmarc}.`;
};

const SUPPRESSED = 'recipient_suppressed:';

/** The reason for which an approved mail was not sent. */
export const failureWords = (reason: string): string =>
  reason.startsWith(SUPPRESSED)
    ? `${reason.slice(SUPPRESSED.length).replaceAll(',', ', ')} is suppressed, since it bounced or its reader complained`
    : reason.replaceAll('_', ' ');

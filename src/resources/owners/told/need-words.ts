/** What needs an owner, in the words of a push and of a digest. */

import type { NeedView } from '../../home/contract.ts';

export interface NeedWords {
  /** The same for as long as it stands. */
  key: string;
  title: string;
  body: string;
  /** A path of the console. */
  url: string;
}

const percent = (share: number, digits: number): string => `${(share * 100).toFixed(digits)} %`;

const rateWords = ({
  reason,
  bounce_rate,
  complaint_rate,
}: Extract<NeedView, { kind: 'paused' | 'throttled' | 'over_line' }>): string => {
  if (reason === 'bounce_rate') return `Bounces reached ${percent(bounce_rate, 1)} of the last 7 days.`;
  if (reason === 'complaint_rate') return `Complaints reached ${percent(complaint_rate, 2)} of the last 7 days.`;
  if (reason === 'owner') return 'An owner paused it.';
  return reason === 'operator' ? 'The operator paused it.' : `It was paused: ${reason ?? 'no reason was given'}.`;
};

export const toNeedWords = (need: NeedView): NeedWords => {
  switch (need.kind) {
    case 'paused':
      return {
        key: need.kind,
        title: 'Sending is paused',
        body: `${rateWords(need)} Every send is refused until you resume.`,
        url: '/console/',
      };
    case 'throttled':
      return {
        key: need.kind,
        title: 'Sending is throttled',
        body: `${rateWords(need)} Cold mail leaves at one a minute for each agent.`,
        url: '/console/health',
      };
    case 'over_line':
      return {
        key: need.kind,
        title: 'Sending is over a line',
        body: `${rateWords(need)} The next bad outcome slows or stops it.`,
        url: '/console/health',
      };
    case 'unverified':
      return {
        key: need.kind,
        title: 'Nothing may be sent yet',
        body: 'The address of its owner is not verified.',
        url: '/console/people',
      };
    case 'domain':
      return {
        key: `domain ${need.domain_id}`,
        title: `${need.domain} cannot send`,
        body: `${need.problems.length === 0 ? 'Its name servers are wrong' : 'Its records are wrong'}: its mail is refused until they are mended.`,
        url: `/console/domains/${need.domain}`,
      };
    case 'webhook':
      return {
        key: `webhook ${need.webhook_id}`,
        title: need.reason === 'approval' ? 'A webhook waits for you' : 'A webhook is off',
        body: `${new URL(need.url).host}: ${need.reason === 'approval' ? 'it is told nothing until you allow it.' : 'its events are held.'}`,
        url: `/console/webhooks/${need.webhook_id}`,
      };
    case 'held':
      return {
        key: need.kind,
        title: need.count === 1 ? '1 mail waits for your decision' : `${need.count} mails wait for your decision`,
        body: need.agents.map(({ agent, count }) => `${agent ?? 'a removed agent'} ${count}`).join(', '),
        url: '/console/approvals',
      };
  }
};

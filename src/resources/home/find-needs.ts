/** Finds tasks for an owner, the most urgent first: those that stop mail, then those that slow it, then decisions. */

import type { Plans } from '../../config/plans.ts';
import { isoTime, isoTimeOrNull, type Millis } from '../../kernel/clock.ts';
import { findCrossing, findRates, type Rates } from '../../outbound/gate/reputation-state.ts';
import { countDomains, type Domain, listFailingDomains } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { listWebhooks, type Webhook } from '../../store/events/webhooks.ts';
import { sumHeldByAgent } from '../../store/sending/held-sends.ts';
import type { Db } from '../../store/store.ts';
import type { FoundNeeds, NeedView } from './contract.ts';

type Checked = NonNullable<Domain['checkResult']>['records'][number];

/** Names a record by its form: a check stores only type, name and value. */
const nameOfRecord = ({ type, name, value }: Checked): string => {
  if (type === 'MX') return 'MX';
  if (name.includes('._domainkey.')) return 'DKIM';
  if (name.startsWith('_dmarc.')) return 'DMARC';
  if (name.startsWith('_mta-sts.')) return 'MTA-STS';
  if (name.startsWith('_smtp._tls.')) return 'TLS-RPT';
  return value.startsWith('v=spf1') ? 'SPF' : 'ownership';
};

const toDomainNeed = ({ id, name, failingSince, checkResult }: Domain): NeedView => {
  const problems = (checkResult?.records ?? [])
    .filter(({ status }) => status === 'missing' || status === 'mismatch')
    .map((record) => `${nameOfRecord(record)} is ${record.status}`);
  return {
    kind: 'domain',
    key: `domain ${id}`,
    title: `${name} cannot send`,
    body:
      problems.length === 0
        ? 'Its last check found its name servers wrong.'
        : `Its last check: ${problems.join(', ')}.`,
    path: `/domains/${name}`,
    since: isoTimeOrNull(failingSince),
    until: null,
  };
};

/** Names the endpoint by its host: a path may hold a secret. */
const toWebhookNeed = ({ id, url, disabledReason, withheld, failureCount, updatedAt }: Webhook): NeedView => {
  const fault = disabledReason === 'gone' ? 'answered 410 Gone' : `failed ${failureCount} times in a row`;
  const [title, what] =
    withheld === 'approval'
      ? ([
          'A webhook waits for you',
          'was set up by an agent whose mail is held. It is told nothing until you allow it in Approvals.',
        ] as const)
      : (['A webhook is off', `${fault}. Its events are held.`] as const);
  const body = `${new URL(url).host} ${what}`;
  const path = `/webhooks/${id}`;
  return { kind: 'webhook', key: `webhook ${id}`, title, body, path, since: isoTime(updatedAt), until: null };
};

const toUnverifiedNeed = ({ ownerEmail, createdAt }: Workspace): NeedView => ({
  kind: 'unverified',
  key: 'unverified',
  title: 'Nothing may be sent yet',
  body: `The address ${ownerEmail || 'of its owner'} is not verified. A sign-in link that is mailed to it, and used, verifies it.`,
  path: '/people',
  since: isoTime(createdAt),
  until: null,
});

const STATES = {
  paused: {
    title: 'Sending is paused',
    effect: 'Every send is refused until you resume.',
    path: '/',
  },
  throttled: {
    title: 'Sending is throttled',
    effect: 'Cold mail leaves at one a minute for each agent; replies are not slowed.',
    path: '/health',
  },
  over_line: {
    title: 'Sending is over a line',
    effect: 'The next bad outcome slows or stops it.',
    path: '/health',
  },
} as const;

const percent = (share: number, digits: number): string => `${(share * 100).toFixed(digits)} %`;

const describeCause = (reason: string | null, { bounceRate, complaintRate }: Rates): string => {
  if (reason === 'bounce_rate') return `Bounces reached ${percent(bounceRate, 1)} within 7 days.`;
  if (reason === 'complaint_rate') return `Complaints reached ${percent(complaintRate, 2)} within 7 days.`;
  if (reason === 'owner') return 'An owner paused it.';
  return reason === 'operator' ? 'The operator paused it.' : `It was paused: ${reason ?? 'no reason was given'}.`;
};

const findStateNeed = async (db: Db, plans: Plans, workspace: Workspace, now: Millis): Promise<NeedView[]> => {
  const { sendingState, sendingStateReason, sendingStateAt } = workspace;
  // What paused it leaves the last 7 days while nothing is sent.
  const rates = await findRates(db, workspace, sendingState === 'paused' ? sendingStateAt : now);
  const isNormal = sendingState === 'normal';
  const reason = isNormal ? (findCrossing(rates, plans)?.reason ?? null) : sendingStateReason;
  if (isNormal && reason === null) return [];
  const kind = isNormal ? 'over_line' : sendingState;
  const { title, effect, path } = STATES[kind];
  const body = `${describeCause(reason, rates)} ${effect}`;
  return [{ kind, key: kind, title, body, path, since: isNormal ? null : isoTime(sendingStateAt), until: null }];
};

const toHeldNeeds = (held: Awaited<ReturnType<typeof sumHeldByAgent>>): NeedView[] => {
  if (held.length === 0) return [];
  const count = held.reduce((sum, each) => sum + each.count, 0);
  return [
    {
      kind: 'held',
      key: 'held',
      title: count === 1 ? '1 message waits for your decision' : `${count} messages wait for your decision`,
      body: `${held.map((each) => `${each.handle} ${each.count}`).join(', ')}. What expires is not sent.`,
      path: '/approvals',
      since: isoTime(Math.min(...held.map(({ oldestAt }) => oldestAt))),
      until: isoTime(Math.min(...held.map(({ nextExpiryAt }) => nextExpiryAt))),
    },
  ];
};

export const findNeeds = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
): Promise<FoundNeeds & { looked_at: { domains: number; webhooks: number } }> => {
  const state = await findStateNeed(db, plans, workspace, now);
  const failing = await listFailingDomains(db, workspace.id);
  const webhooks = await listWebhooks(db, workspace.id);
  const held = await sumHeldByAgent(db, workspace.id);
  return {
    needs: [
      ...state.filter(({ kind }) => kind === 'paused'),
      ...(workspace.verifiedAt === null ? [toUnverifiedNeed(workspace)] : []),
      ...failing.map(toDomainNeed),
      // An endpoint paused by its owner is no task.
      ...webhooks
        .filter((each) => each.withheld === 'approval' || (!each.active && each.disabledReason !== 'paused'))
        .map(toWebhookNeed),
      ...state.filter(({ kind }) => kind !== 'paused'),
      ...toHeldNeeds(held),
    ],
    held: held.map(({ handle, count }) => ({ agent: handle, count })),
    looked_at: { domains: await countDomains(db, workspace.id), webhooks: webhooks.length },
  };
};

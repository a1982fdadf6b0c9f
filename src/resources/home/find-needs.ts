/** Finds tasks for an owner, the most urgent first: those that stop mail, then those that slow it, then decisions. */

import type { Plans } from '../../config/plans.ts';
import { isoTime, isoTimeOrNull, type Millis } from '../../kernel/clock.ts';
import { findCrossing, findRates } from '../../outbound/gate/reputation-state.ts';
import { type Domain, listDomains } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { listWebhooks, type Webhook } from '../../store/events/webhooks.ts';
import { sumHeldByAgent } from '../../store/sending/held-sends.ts';
import type { Db } from '../../store/store.ts';
import type { NeedView } from './contract.ts';

type Checked = NonNullable<Domain['checkResult']>['records'][number];

/** Derives a record's purpose from its form: a check stores only type, name and value. */
const purposeOf = ({ type, name, value }: Checked): string => {
  if (type === 'MX') return 'mx';
  if (name.includes('._domainkey.')) return 'dkim';
  if (name.startsWith('_dmarc.')) return 'dmarc';
  if (name.startsWith('_mta-sts.')) return 'mta_sts';
  if (name.startsWith('_smtp._tls.')) return 'tls_rpt';
  return value.startsWith('v=spf1') ? 'spf' : 'ownership';
};

const toDomainNeed = ({ id, name, failingSince, checkResult }: Domain): NeedView => ({
  kind: 'domain',
  domain: name,
  domain_id: id,
  since: isoTimeOrNull(failingSince),
  problems: (checkResult?.records ?? [])
    .filter(({ status }) => status === 'missing' || status === 'mismatch')
    .map((record) => ({ purpose: purposeOf(record), status: record.status, name: record.name })),
});

const toWebhookNeed = ({ id, url, disabledReason, withheld, failureCount, updatedAt }: Webhook): NeedView => ({
  kind: 'webhook',
  webhook_id: id,
  url,
  reason: withheld === 'approval' ? withheld : disabledReason,
  failure_count: failureCount,
  since: isoTime(updatedAt),
});

const findHeldNeed = async (db: Db, { id: workspaceId }: Workspace): Promise<NeedView[]> => {
  const held = await sumHeldByAgent(db, workspaceId);
  if (held.length === 0) return [];
  return [
    {
      kind: 'held',
      count: held.reduce((sum, { count }) => sum + count, 0),
      agents: held.map(({ handle, count }) => ({ agent: handle, count })),
      oldest_at: isoTime(Math.min(...held.map(({ oldestAt }) => oldestAt))),
      next_expiry_at: isoTime(Math.min(...held.map(({ nextExpiryAt }) => nextExpiryAt))),
    },
  ];
};

const findStateNeed = async (db: Db, plans: Plans, workspace: Workspace, now: Millis): Promise<NeedView[]> => {
  const { sendingState, sendingStateReason: reason, sendingStateAt } = workspace;
  const found = await findRates(db, workspace, now);
  const { bounceRate, complaintRate } = found;
  if (sendingState === 'normal') {
    const reason = findCrossing(found, plans)?.reason;
    return reason ? [{ kind: 'over_line', reason, bounce_rate: bounceRate, complaint_rate: complaintRate }] : [];
  }
  const rates = { reason, since: isoTime(sendingStateAt), bounce_rate: bounceRate, complaint_rate: complaintRate };
  return [{ kind: sendingState, ...rates }];
};

export const findNeeds = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
): Promise<{ needs: NeedView[]; looked_at: { domains: number; webhooks: number } }> => {
  const state = await findStateNeed(db, plans, workspace, now);
  const domains = await listDomains(db, workspace.id);
  const webhooks = await listWebhooks(db, workspace.id);
  const { verifiedAt, ownerEmail, createdAt } = workspace;
  return {
    needs: [
      ...state.filter(({ kind }) => kind === 'paused'),
      ...(verifiedAt === null
        ? [{ kind: 'unverified' as const, owner_email: ownerEmail, since: isoTime(createdAt) }]
        : []),
      ...domains.filter(({ status }) => status === 'failing').map(toDomainNeed),
      // An endpoint paused by its owner is no task.
      ...webhooks
        .filter((each) => each.withheld === 'approval' || (!each.active && each.disabledReason !== 'paused'))
        .map(toWebhookNeed),
      ...state.filter(({ kind }) => kind === 'throttled' || kind === 'over_line'),
      ...(await findHeldNeed(db, workspace)),
    ],
    looked_at: { domains: domains.length, webhooks: webhooks.length },
  };
};

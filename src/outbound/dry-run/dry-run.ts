/** A dry run of a send: the checks of the gate and the composition, answered. Nothing is written. */

import type { AgentId } from '../../kernel/ids.ts';
import type { Db, Store } from '../../store/store.ts';
import { countGranted } from '../../store/vault/secret-grants.ts';
import type { FoundSecret, KnownSend, Rejection, SecretsFound } from '../gate/gate-check.ts';
import { runChecks, type Stage } from '../gate/gate-checks.ts';
import { HOLD_HINTS, runHoldChecks } from '../gate/hold.ts';
import { type PrepareNeeds, prepareMessage } from '../gate/prepare-message.ts';
import { UNITS_OF } from '../gate/quota-checks.ts';
import { findQuotaUse, type QuotaUse } from '../gate/quota-use.ts';
import { hintOfRejection } from '../gate/rejections.ts';
import { hasSender, type SendNeeds, TOO_LONG_TO_REVIEW, toSend, withPreparedMessage } from '../gate/send.ts';
import type { SendClass } from '../gate/send-class.ts';
import type { SendRequest } from '../gate/send-request.ts';

interface Check {
  /** The reason with which it refuses or holds; a limit is left out. */
  name: string;
  verdict: 'pass' | 'hold' | 'reject';
}

interface Verdict extends Pick<Rejection, 'retryAt'> {
  outcome: 'sent' | 'held' | 'rejected';
  /** The gate's reason, or the reason for holding. */
  reason: string | null;
  hint: string | null;
}

export interface DryRunOutcome extends Verdict {
  /** The checks that a send would run, in order. */
  checks: Check[];
  sendClass: SendClass;
  /** What the quotas would count, in sends. */
  units: number;
  recipients: string[];
  /** Null where the mail is refused before it is composed. */
  text: string | null;
  html: string | null;
  htmlChanged: string[];
  /** In sends, before this one; null: no quota. */
  quotaLeft: Record<'day' | 'month', number | null>;
}

export type DryRun = (request: SendRequest) => Promise<DryRunOutcome>;

type DryRunNeeds = PrepareNeeds & Pick<SendNeeds, 'plans' | 'isLocalOnly' | 'clock' | 'newId'> & { store: Store };

export const createDryRun =
  (needs: DryRunNeeds): DryRun =>
  async (request) => {
    const db = needs.store.read;
    const send = await toSend(needs, request, db);
    const { sendClass, recipients } = send;
    const told = {
      sendClass,
      units: UNITS_OF[sendClass] / UNITS_OF.cold,
      recipients: recipients.map(({ address }) => address),
      text: null,
      html: null,
      htmlChanged: [],
    };
    if (!hasSender(send)) {
      const checks: Check[] = [{ name: 'mailbox_not_found', verdict: 'reject' }];
      return { ...toRejected({ reason: 'mailbox_not_found' }), ...told, checks, quotaLeft: { day: null, month: null } };
    }
    const { agent, workspace } = send.sender;
    const { day, month } = await findQuotaUse(db, needs.plans, workspace, send.now);
    const quotaLeft = { day: toLeft(day), month: toLeft(month) };

    const early = await listRefusals(send, db, 'hold');
    if (early.rejection) return { ...toRejected(early.rejection), ...told, checks: early.checks, quotaLeft };
    const mail = await prepareMessage(needs, request, send.sender, needs.newId<'message'>(), send.now, false);
    const { text, html } = await needs.workers.run(
      { kind: 'read', mime: mail.mime, headerOnly: false },
      { workspace: workspace.id },
    );
    const secrets = await onlyGranted(db, agent.id, mail.secrets);
    const prepared = { ...send, ...withPreparedMessage(send, { ...mail, secrets }), sender: send.sender };
    const { checks, ...verdict } = await judge(prepared, db, mail.isWhole);
    const composed = { text, html, htmlChanged: mail.htmlChanged };
    return { ...verdict, ...told, ...composed, checks: [...early.checks, ...checks], quotaLeft };
  };

/** The verdict after the composition: held mail passes the quotas only when it is released. */
const judge = async (send: KnownSend, db: Db, isWhole: boolean): Promise<Verdict & { checks: Check[] }> => {
  const holds = await runHoldChecks(send, db);
  const held = holds.map(({ name, reason }): Check => ({ name, verdict: reason ? 'hold' : 'pass' }));
  const reason = holds.find((each) => each.reason)?.reason;
  if (reason) {
    const verdict = { outcome: 'held' as const, reason, hint: HOLD_HINTS[reason] };
    return { ...(isWhole ? verdict : toRejected({ reason: TOO_LONG_TO_REVIEW })), checks: held };
  }
  const { rejection, checks } = await listRefusals(send, db, 'sending');
  const sent = { outcome: 'sent' as const, reason: null, hint: null };
  return { ...(rejection ? toRejected(rejection) : sent), checks: [...held, ...checks] };
};

const listRefusals = async (send: KnownSend, db: Db, stage: Stage) => {
  const ran = await runChecks(send, db, stage);
  const checks = ran.checks.map(({ name, rejection }): Check => ({ name, verdict: rejection ? 'reject' : 'pass' }));
  return { ...ran, checks };
};

/**
 * A dry run leaves no trace, so an agent could guess secrets with it. A secret that the agent may not open therefore
 * holds the mail only in a real send.
 */
const onlyGranted = async (db: Db, agentId: AgentId, found: SecretsFound): Promise<SecretsFound> => {
  if (found === 'unchecked') return found;
  const granted: FoundSecret[] = [];
  for (const each of found) if ((await countGranted(db, agentId, [each.secretId])) > 0) granted.push(each);
  return granted;
};

const toRejected = (rejection: Rejection): Verdict & { outcome: 'rejected' } => ({
  outcome: 'rejected',
  ...rejection,
  hint: hintOfRejection(rejection),
});

const toLeft = ({ sent, limit }: QuotaUse): number | null =>
  limit === null ? null : Math.max(0, (limit * UNITS_OF.cold - Math.round(sent * UNITS_OF.cold)) / UNITS_OF.cold);

/** Acts upon a bounce or a feedback report that came to the return path of a delivery, and upon nothing else that comes. */

import {
  type BounceRules,
  type BounceType,
  classifyFailure,
  type Failure,
  toFailure,
} from '../../config/bounce-rules.ts';
import { addressKey, parseAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId } from '../../kernel/ids.ts';
import type { MailReport, ReportedRecipient } from '../../mail/dsn/mail-report.ts';
import { type Delivery, findDelivery, recordReport } from '../../store/sending/deliveries.ts';
import type { Tx } from '../../store/store.ts';
import type { ReputationNeeds } from '../gate/reputation-state.ts';
import { applyBounce, applyComplaint, findSentMail, updateMessageStatus } from './delivery-end.ts';

export interface ReportNeeds extends ReputationNeeds {
  bounceRules: BounceRules;
}

/**
 * The kinds of feedback by which a recipient turns a mail down: RFC 5965 section 7.3, and the opt-out of its drafts. Of the
 * others, not-spam is praise, and auth-failure and dkim (RFC 6591) are about signatures.
 */
const COMPLAINTS: ReadonlySet<string> = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list']);

/** The mildest of several, for it suppresses least. */
const MILDEST_FIRST: readonly BounceType[] = ['blocked', 'expired', 'permanent'];

interface ReportedFailure extends Failure {
  recipient: ReportedRecipient;
}

/**
 * What a notification says of the one recipient that its return path stands for. Where it names other addresses alone,
 * the recipient forwards his mail, and it failed if it failed for all of them. A final recipient other than the address
 * that was written to (a member of an alias) says nothing lasting of the latter, and does not suppress it.
 * @returns null where nothing failed for good
 */
const reportedFailure = (
  { address }: Delivery,
  recipients: readonly ReportedRecipient[],
  bounceRules: BounceRules,
): ReportedFailure | null => {
  const key = addressKey(address);
  const isOurs = (said: string) => said === key || parseAddress(said) === key;
  const named = recipients.filter(({ addresses }) => addresses.some(isOurs));
  const told = named.length > 0 ? named : recipients;
  if (told.some(({ action }) => action !== 'failed')) return null;
  const failures = told.map((recipient): ReportedFailure => {
    const { type, suppresses } = toFailure(classifyFailure(bounceRules, { ...recipient, text: recipient.diagnostic }));
    const [final] = recipient.addresses;
    return { recipient, type, suppresses: suppresses && (final === undefined || isOurs(final)) };
  });
  const rank = ({ type, suppresses }: Failure) => MILDEST_FIRST.indexOf(type) + (suppresses ? MILDEST_FIRST.length : 0);
  return failures.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
};

/** Takes it once: a second bounce of a delivery changes nothing, nor does a bounce of what was complained about. */
export const processReport = async (
  needs: ReportNeeds,
  tx: Tx,
  deliveryId: DeliveryId,
  report: MailReport,
  now: Millis,
): Promise<void> => {
  const delivery = await findDelivery(tx.db, deliveryId);
  if (!delivery || delivery.status === 'complained') return;
  if (report.kind === 'feedback') {
    if (COMPLAINTS.has(report.feedbackType)) await complained(needs, tx, delivery, now);
    return;
  }
  const failure = reportedFailure(delivery, report.recipients, needs.bounceRules);
  if (failure && delivery.status !== 'bounced') await bounced(needs, tx, delivery, failure, now);
};

const complained = async (needs: ReportNeeds, tx: Tx, delivery: Delivery, now: Millis): Promise<void> => {
  const { code, enhancedCode, response } = delivery;
  await recordReport(tx, delivery.id, { status: 'complained', code, enhancedCode, response });
  await updateMessageStatus(tx, delivery);
  const sent = await findSentMail(tx, delivery);
  if (sent) await applyComplaint(needs, tx, sent, now);
};

const bounced = async (
  needs: ReportNeeds,
  tx: Tx,
  delivery: Delivery,
  { recipient, ...failure }: ReportedFailure,
  now: Millis,
): Promise<void> => {
  const { code, enhancedCode, diagnostic: response } = recipient;
  await recordReport(tx, delivery.id, { status: 'bounced', code, enhancedCode, response });
  await updateMessageStatus(tx, delivery);
  const sent = await findSentMail(tx, delivery);
  if (sent) await applyBounce(needs, tx, sent, failure, now);
};

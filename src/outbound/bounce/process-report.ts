/**
 * Processes a DSN or feedback report (ARF) received at a delivery's return path; any other mail there has no effect.
 */

import {
  type BounceRules,
  type BounceType,
  classifyFailure,
  type Failure,
  isOfAddress,
  toFailure,
} from '../../config/bounce-rules.ts';
import { addressKey, parseAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId } from '../../kernel/ids.ts';
import type { MailReport, ReportedRecipient } from '../../mail/dsn/mail-report.ts';
import { toReason } from '../../mail-log/classify.ts';
import type { MailLine, MailLog } from '../../mail-log/mail-log.ts';
import { type Delivery, findDelivery, listDeliveryStatuses, recordReport } from '../../store/sending/deliveries.ts';
import type { Tx } from '../../store/store.ts';
import type { ReputationNeeds } from '../gate/reputation-state.ts';
import { applyBounce, applyComplaint, countReply, findSentMail, updateMessageStatus } from './delivery-end.ts';

export interface ReportNeeds extends ReputationNeeds {
  bounceRules: BounceRules;
  mailLog: MailLog;
}

/**
 * Feedback types that count as complaints: RFC 5965 section 7.3, and the opt-out of its drafts. Not among them:
 * not-spam, and auth-failure and dkim (RFC 6591), which are about signatures.
 */
const COMPLAINTS: ReadonlySet<string> = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list']);

/** Of several failures the mildest counts: it suppresses least. */
const MILDEST_FIRST: readonly BounceType[] = ['blocked', 'expired', 'permanent'];

interface ReportedFailure extends Failure {
  recipient: ReportedRecipient;
}

/**
 * The failure that a DSN reports for the recipient of its return path. Where it names other addresses alone, the
 * recipient forwards, and the delivery failed if it failed for all of them. A final recipient other than the address
 * sent to (a member of an alias) does not suppress that address.
 * @returns null where none failed permanently
 */
const reportedFailure = (
  { address }: Delivery,
  recipients: readonly ReportedRecipient[],
  bounceRules: BounceRules,
): ReportedFailure | null => {
  const key = addressKey(address);
  const isRecipient = (text: string) => text === key || parseAddress(text) === key;
  const named = recipients.filter(({ addresses }) => addresses.some(isRecipient));
  const reported = named.length > 0 ? named : recipients;
  if (reported.some(({ action }) => action !== 'failed')) return null;
  const failures = reported.map((recipient): ReportedFailure => {
    const { type, suppresses } = toFailure(classifyFailure(bounceRules, { ...recipient, text: recipient.diagnostic }));
    const [final] = recipient.addresses;
    return { recipient, type, suppresses: suppresses && (final === undefined || isRecipient(final)) };
  });
  const rank = ({ type, suppresses }: Failure) => MILDEST_FIRST.indexOf(type) + (suppresses ? MILDEST_FIRST.length : 0);
  return failures.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
};

/** Idempotent: a second bounce of a delivery changes nothing, nor does a bounce after a complaint. */
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
    if (COMPLAINTS.has(report.feedbackType)) await recordComplaint(needs, tx, delivery, now);
    return;
  }
  const failure = reportedFailure(delivery, report.recipients, needs.bounceRules);
  if (failure && delivery.status !== 'bounced') await recordBounce(needs, tx, delivery, failure, now);
};

const recordOn = async (tx: Tx, delivery: Delivery, reported: Parameters<typeof recordReport>[2]) => {
  await recordReport(tx, delivery.id, reported);
  const { messageId } = delivery;
  const [statuses, sent] = await Promise.all([listDeliveryStatuses(tx.db, messageId), findSentMail(tx, delivery)]);
  await updateMessageStatus(tx, messageId, statuses);
  return sent;
};

const recordComplaint = async (needs: ReportNeeds, tx: Tx, delivery: Delivery, now: Millis): Promise<void> => {
  const { code, enhancedCode, response } = delivery;
  const sent = await recordOn(tx, delivery, { status: 'complained', code, enhancedCode, response });
  if (sent) await applyComplaint(needs, tx, sent, now);
};

/** A host has replied, if only to the one that took the mail: without a code in the report the reason is none of silence. */
const toLine = ({ id, messageId, address, attempts }: Delivery, failure: ReportedFailure): MailLine<'bounced'> => {
  const { code, enhancedCode: enhanced, diagnostic: text } = failure.recipient;
  const reason = toReason({ code: code ?? 0, enhanced, text, isOfAddress: isOfAddress(failure) });
  return {
    mail: 'bounced',
    reason: failure.type === 'expired' ? 'too_old' : reason,
    message_id: messageId,
    delivery_id: id,
    to: address,
    host: null,
    tls: null,
    attempt: attempts,
    code,
    reply: text,
    suppressed: failure.suppresses,
  };
};

const recordBounce = async (
  needs: ReportNeeds,
  tx: Tx,
  delivery: Delivery,
  failure: ReportedFailure,
  now: Millis,
): Promise<void> => {
  tx.afterCommit(() => needs.mailLog.record(toLine(delivery, failure)));
  const { code, enhancedCode, diagnostic: response } = failure.recipient;
  const sent = await recordOn(tx, delivery, { status: 'bounced', code, enhancedCode, response });
  if (!sent) return;
  await countReply(tx, sent, { kind: 'refused', isLate: true, code, enhancedCode, response }, now);
  await applyBounce(needs, tx, sent, failure, now);
};

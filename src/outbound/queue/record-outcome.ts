/** Records the outcome of an attempt: the delivery's row, the message's status and the event, in one transaction. */

import { type Failure, isOfAddress } from '../../config/bounce-rules.ts';
import { DAY, HOUR, isoTime, MINUTE, type Millis } from '../../kernel/clock.ts';
import { toReason } from '../../mail-log/classify.ts';
import type { MailLine, MailLog } from '../../mail-log/mail-log.ts';
import { type Delivery, type DeliveryStatus, listDeliveryStatuses } from '../../store/sending/deliveries.ts';
import { recordResult, withCutOffs } from '../../store/sending/delivery-queue.ts';
import type { Store, Tx } from '../../store/store.ts';
import {
  applyBounce,
  countDeliveryEnd,
  countReply,
  findSentMail,
  toEventSubject,
  updateMessageStatus,
} from '../bounce/delivery-end.ts';
import { type DsnNeeds, fileDsn } from '../bounce/file-dsn.ts';
import { type ReputationNeeds, updateReputation } from '../gate/reputation-state.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';

/** Queue lifetime: RFC 5321 section 4.5.4.1 asks for at least 4 to 5 days. */
export const GIVE_UP_AFTER_MS = 5 * DAY;

const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
const LATER_DELAY = 6 * HOUR;
/** ±20 %: deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * The retry schedule of deliveries.
 * @param attempts attempts made so far, 1 or more
 * @param createdAt when the delivery was accepted
 * @param spread from 0 to 1, a random number
 * @returns when the next attempt is due, or null once the delivery is older than {@link GIVE_UP_AFTER_MS}
 */
const nextAttemptTime = (attempts: number, createdAt: Millis, now: Millis, spread: number): Millis | null => {
  if (now - createdAt >= GIVE_UP_AFTER_MS) return null;
  const delay = DELAYS[attempts - 1] ?? LATER_DELAY;
  return now + Math.round(delay * (1 - JITTER + 2 * JITTER * spread));
};

export type OutcomeNeeds = ReputationNeeds & DsnNeeds & { store: Pick<Store, 'runId'>; mailLog: MailLog };

interface NextState {
  status: DeliveryStatus;
  nextAttemptAt: Millis | null;
  /** Null where it was delivered or is retried. */
  failure: Failure | null;
}

const nextState = (
  delivery: Delivery,
  { verdict, suppresses, mayPass = false }: AttemptOutcome,
  now: Millis,
  spread: number,
): NextState => {
  if (verdict === 'delivered') return { status: 'delivered', nextAttemptAt: null, failure: null };
  if (verdict !== 'retry')
    return { status: 'bounced', nextAttemptAt: null, failure: { type: verdict, suppresses, mayPass } };
  const nextAttemptAt = nextAttemptTime(delivery.attempts + 1, delivery.createdAt, now, spread);
  return nextAttemptAt === null
    ? { status: 'bounced', nextAttemptAt: null, failure: { type: 'expired', suppresses } }
    : { status: 'deferred', nextAttemptAt, failure: null };
};

const toLine = (
  { id, messageId, address, attempts }: Delivery,
  { code, enhancedCode, response, remoteHost, tls, ...outcome }: AttemptOutcome,
  { nextAttemptAt, failure }: NextState,
): MailLine<'delivered' | 'deferred' | 'bounced'> => {
  const about = { message_id: messageId, delivery_id: id, to: address, host: remoteHost, tls, attempt: attempts + 1 };
  const said = { ...about, code, reply: response };
  const ofAddress = failure !== null && isOfAddress(failure);
  const reason = outcome.reason ?? toReason({ code, enhanced: enhancedCode, text: response, isOfAddress: ofAddress });
  if (nextAttemptAt !== null) {
    return { mail: 'deferred', reason, ...said, next_attempt_at: isoTime(nextAttemptAt) };
  }
  if (failure === null) return { mail: 'delivered', reason: 'delivered', ...said };
  return {
    mail: 'bounced',
    reason: failure.type === 'expired' ? 'too_old' : reason,
    ...said,
    suppressed: failure.suppresses,
  };
};

/**
 * @param delivery the row as it was claimed, before the attempt was counted
 * @returns false where another run holds the lease, or a DSN or feedback report arrived before the host's own reply
 */
export const recordOutcome = async (
  tx: Tx,
  needs: OutcomeNeeds,
  delivery: Delivery,
  outcome: AttemptOutcome,
  now: Millis,
  spread: number,
): Promise<boolean> => {
  const { status, nextAttemptAt, failure } = nextState(delivery, outcome, now, spread);
  const { code, enhancedCode, response, remoteHost, tls } = outcome;
  const recording = recordResult(tx, delivery.id, needs.store.runId, {
    status,
    nextAttemptAt,
    code,
    enhancedCode,
    response,
    remoteHost,
    tls,
    transcript: withCutOffs(outcome.transcript, delivery.transcript),
  });
  const [isRecorded, sent, statuses] = await Promise.all([
    recording,
    findSentMail(tx, delivery),
    listDeliveryStatuses(tx.db, delivery.messageId),
  ]);
  if (!isRecorded) return false;
  tx.afterCommit(() => needs.mailLog.record(toLine(delivery, outcome, { status, nextAttemptAt, failure })));
  const isOver = nextAttemptAt === null;
  const kind = !isOver ? 'deferred' : failure === null ? 'delivered' : 'refused';
  const end = async (): Promise<void> => {
    const ended = await updateMessageStatus(tx, delivery.messageId, statuses);
    if (!sent) return;
    await countDeliveryEnd(tx, sent, ended, failure === null, now);
    if (failure === null) {
      await needs.events.publish(tx, { name: 'message.delivered', ...toEventSubject(sent) });
      await updateReputation(needs, tx, sent.workspace, now);
      return;
    }
    await applyBounce(needs, tx, sent, failure, now);
    await fileDsn(needs, tx, sent, { ...outcome, failure }, now);
  };
  await Promise.all([sent && countReply(tx, sent, { kind, code, enhancedCode, response }, now), isOver && end()]);
  return true;
};

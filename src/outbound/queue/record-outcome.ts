/** Writes an attempt's end: the row, the message's status and the event, in one transaction. */

import type { Failure } from '../../config/bounce-rules.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { RunId } from '../../kernel/ids.ts';
import type { Delivery, DeliveryStatus } from '../../store/sending/deliveries.ts';
import { recordResult, withCutOffs } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import { aboutSentMail, countEnd, findSentMail, followBounce, reviewMessageStatus } from '../bounce/delivery-end.ts';
import { type NoticeNeeds, sendDsn } from '../bounce/send-dsn.ts';
import { reviewReputation, type StateNeeds } from '../gate/reputation-state.ts';
import type { AttemptEnd } from './attempt-outcome.ts';
import { nextAttemptTime } from './delivery-retries.ts';

export type SettleNeeds = StateNeeds & NoticeNeeds & { runId: RunId };

interface Settled {
  status: DeliveryStatus;
  nextAttemptAt: Millis | null;
  /** Null where it was delivered, or is tried again. */
  failure: Failure | null;
}

const settledBy = (delivery: Delivery, { verdict, suppresses }: AttemptEnd, now: Millis, spread: number): Settled => {
  if (verdict === 'delivered') return { status: 'delivered', nextAttemptAt: null, failure: null };
  if (verdict !== 'retry') return { status: 'bounced', nextAttemptAt: null, failure: { type: verdict, suppresses } };
  const nextAttemptAt = nextAttemptTime(delivery.attempts + 1, delivery.createdAt, now, spread);
  return nextAttemptAt === null
    ? { status: 'bounced', nextAttemptAt: null, failure: { type: 'expired', suppresses } }
    : { status: 'deferred', nextAttemptAt, failure: null };
};

/**
 * @param delivery the row as it was claimed, before the attempt was counted
 * @returns false where the lease is lost: another run has taken it over, or a bounce came before the host's own reply
 */
export const settle = async (
  tx: Tx,
  needs: SettleNeeds,
  delivery: Delivery,
  end: AttemptEnd,
  now: Millis,
  spread: number,
): Promise<boolean> => {
  const { status, nextAttemptAt, failure } = settledBy(delivery, end, now, spread);
  const { code, enhancedCode, response, remoteHost, tls } = end;
  const isRecorded = await recordResult(tx, delivery.id, needs.runId, {
    status,
    nextAttemptAt,
    code,
    enhancedCode,
    response,
    remoteHost,
    tls,
    transcript: withCutOffs(end.transcript, delivery.transcript),
  });
  if (!isRecorded || nextAttemptAt !== null) return isRecorded;
  const ended = await reviewMessageStatus(tx, delivery);
  const sent = await findSentMail(tx, delivery);
  if (!sent) return true;
  await countEnd(tx, sent, ended, now);
  if (failure === null) {
    await needs.events.publish(tx, { name: 'message.delivered', ...aboutSentMail(sent) });
    await reviewReputation(needs, tx, sent.agent.workspaceId, now);
    return true;
  }
  await followBounce(needs, tx, sent, failure, now);
  await sendDsn(needs, tx, sent, { ...end, failure }, now);
  return true;
};

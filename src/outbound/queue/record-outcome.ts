/** Writes an attempt's end: the row, the message's status and the event, in one transaction. */

import type { Failure } from '../../config/bounce-rules.ts';
import type { Millis } from '../../kernel/clock.ts';
import { type Delivery, type DeliveryStatus, isReported } from '../../store/sending/deliveries.ts';
import { recordResult, withCutOffs } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import {
  applyBounce,
  countDeliveryEnd,
  findSentMail,
  toEventSubject,
  updateMessageStatus,
} from '../bounce/delivery-end.ts';
import { fileDsn, type NoticeNeeds } from '../bounce/send-dsn.ts';
import { type ReputationNeeds, updateReputation } from '../gate/reputation-state.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { nextAttemptTime } from './delivery-retries.ts';

export type OutcomeNeeds = ReputationNeeds & NoticeNeeds;

interface Settled {
  status: DeliveryStatus;
  nextAttemptAt: Millis | null;
  /** Null where it was delivered, or is tried again. */
  failure: Failure | null;
}

const settledBy = (
  delivery: Delivery,
  { verdict, suppresses }: AttemptOutcome,
  now: Millis,
  spread: number,
): Settled => {
  if (verdict === 'delivered') return { status: 'delivered', nextAttemptAt: null, failure: null };
  if (verdict !== 'retry') return { status: 'bounced', nextAttemptAt: null, failure: { type: verdict, suppresses } };
  const nextAttemptAt = nextAttemptTime(delivery.attempts + 1, delivery.createdAt, now, spread);
  return nextAttemptAt === null
    ? { status: 'bounced', nextAttemptAt: null, failure: { type: 'expired', suppresses } }
    : { status: 'deferred', nextAttemptAt, failure: null };
};

/** @param delivery the row as it was claimed, before the attempt was counted */
export const settle = async (
  tx: Tx,
  needs: OutcomeNeeds,
  delivery: Delivery,
  end: AttemptOutcome,
  now: Millis,
  spread: number,
): Promise<void> => {
  // A bounce may come while the host's own reply is still on its way to us: it is the later word.
  if (await isReported(tx.db, delivery.id)) return;
  const { status, nextAttemptAt, failure } = settledBy(delivery, end, now, spread);
  const { code, enhancedCode, response, remoteHost, tls } = end;
  await recordResult(tx, delivery.id, {
    status,
    nextAttemptAt,
    code,
    enhancedCode,
    response,
    remoteHost,
    tls,
    transcript: withCutOffs(end.transcript, delivery.transcript),
  });
  if (nextAttemptAt !== null) return;
  const ended = await updateMessageStatus(tx, delivery);
  const sent = await findSentMail(tx, delivery);
  if (!sent) return;
  await countDeliveryEnd(tx, sent, ended, now);
  if (failure === null) {
    await needs.events.publish(tx, { name: 'message.delivered', ...toEventSubject(sent) });
    await updateReputation(needs, tx, sent.agent.workspaceId, now);
    return;
  }
  await applyBounce(needs, tx, sent, failure, now);
  await fileDsn(needs, tx, sent, { ...end, failure }, now);
};

/** A recipient on one of our own domains: through the inbound pipeline, without the wire. */

import { type BounceRules, classifyReply, failureOf } from '../../config/bounce-rules.ts';
import { domainOf } from '../../kernel/address.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { LocalEnvelope } from '../../workers/tasks.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { type AttemptOutcome, MESSAGE_GONE } from './attempt-outcome.ts';

/** A mail handed to the way in; `alongside` is written in the transaction that stores it. Rejects with an SmtpError. */
export interface Handover {
  raw: Uint8Array;
  recipient: Delivery['address'];
  envelope: LocalEnvelope;
  alongside: (tx: Tx) => Promise<void>;
}

export interface LocalDeliveryNeeds {
  read: Db;
  workers: WorkerPool;
  clock: Clock;
  replies: BounceRules;
  receiveLocally: (handover: Handover) => Promise<void>;
}

/** An address of this instance is looked up anew for each mail, so that no failure here suppresses it. */
const delivered: AttemptOutcome = {
  verdict: 'delivered',
  suppresses: false,
  code: 250,
  enhancedCode: '2.1.5',
  response: '250 2.1.5 Delivered to a mailbox of this box',
  remoteHost: null,
  tls: null,
  transcript: null,
};

/**
 * @param settle writes an end; given to the way in, so that the mail is stored and its delivery settled in one
 *   transaction, and a crash between the two cannot deliver it twice
 * @returns the end that is still to be settled, or null where it was settled with the mail
 */
export const deliverLocally = async (
  { read, workers, clock, replies, receiveLocally }: LocalDeliveryNeeds,
  delivery: Delivery,
  settle: (tx: Tx, end: AttemptOutcome) => Promise<void>,
): Promise<AttemptOutcome | null> => {
  const message = await findMessage(read, delivery.mailboxId, delivery.messageId);
  const stored = message && (await findRawMessage(read, message.rawId));
  if (!message || !stored) return MESSAGE_GONE;
  try {
    await receiveLocally({
      raw: await workers.run({ kind: 'raw', mime: stored.mime }),
      recipient: delivery.address,
      envelope: {
        mailFrom: message.from.address,
        soleRecipient: delivery.address,
        at: clock.now(),
        fromDomain: domainOf(message.from.address),
      },
      alongside: (tx) => settle(tx, delivered),
    });
    return null;
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error;
    const { responseCode: code, enhanced: enhancedCode, message: text } = error;
    const meaning = classifyReply(replies, { code, enhancedCode, text });
    const verdict = meaning === 'retry' ? meaning : failureOf(meaning).type;
    return { ...delivered, verdict, code, enhancedCode, response: `${code} ${text}` };
  }
};

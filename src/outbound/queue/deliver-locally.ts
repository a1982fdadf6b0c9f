/** Delivers to a recipient on a domain of this instance: through the inbound pipeline, without SMTP. */

import { type BounceRules, classifyReply, toFailure } from '../../config/bounce-rules.ts';
import { domainOf } from '../../kernel/address.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { LocalEnvelope } from '../../workers/tasks.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { isAsApproved } from '../gate/approved-digest.ts';
import { type AttemptOutcome, MESSAGE_GONE, NOT_AS_APPROVED } from './attempt-outcome.ts';

/**
 * A mail handed to the inbound pipeline; `inTransaction` runs in the transaction that stores it. Rejects with an SmtpError.
 */
export interface Handover {
  raw: Uint8Array;
  recipient: Delivery['address'];
  envelope: LocalEnvelope;
  inTransaction: (tx: Tx) => Promise<void>;
}

export interface LocalDeliveryNeeds {
  read: Db;
  workers: WorkerPool;
  clock: Clock;
  bounceRules: BounceRules;
  receiveLocally: (handover: Handover) => Promise<void>;
}

/** Rolls the storing of the mail back: another run of the daemon holds the delivery's lease. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Local failures never suppress: the address is resolved again for each mail. */
const DELIVERED: AttemptOutcome = {
  verdict: 'delivered',
  suppresses: false,
  code: 250,
  enhancedCode: '2.1.5',
  response: '250 2.1.5 Delivered to a mailbox of this instance',
  remoteHost: null,
  tls: null,
  transcript: null,
};

/**
 * @param record writes the outcome; runs in the transaction that stores the mail, so that a crash cannot deliver it
 *   twice
 * @returns the outcome that is still to be recorded; null where it was recorded with the mail
 */
export const deliverLocally = async (
  { read, workers, clock, bounceRules, receiveLocally }: LocalDeliveryNeeds,
  delivery: Delivery,
  record: (tx: Tx, outcome: AttemptOutcome) => Promise<boolean>,
): Promise<AttemptOutcome | null> => {
  const message = await findMessage(read, delivery.mailboxId, delivery.messageId);
  const stored = message && (await findRawMessage(read, message.rawId));
  if (!message || !stored) return MESSAGE_GONE;
  if (!(await isAsApproved(read, message, stored.mime))) return NOT_AS_APPROVED;
  try {
    await receiveLocally({
      raw: await workers.run({ kind: 'raw', mime: stored.mime }),
      recipient: delivery.address,
      envelope: {
        kind: 'local',
        mailFrom: message.from.address,
        soleRecipient: delivery.address,
        at: clock.now(),
        fromDomain: domainOf(message.from.address),
      },
      inTransaction: async (tx) => {
        if (!(await record(tx, DELIVERED))) throw new LeaseLostError();
      },
    });
    return null;
  } catch (error) {
    if (error instanceof LeaseLostError) return null;
    if (!(error instanceof SmtpError)) throw error;
    const { responseCode: code, enhanced: enhancedCode, message: text } = error;
    const replyClass = classifyReply(bounceRules, { code, enhancedCode, text });
    const verdict = replyClass === 'retry' ? replyClass : toFailure(replyClass).type;
    return { ...DELIVERED, verdict, code, enhancedCode, response: `${code} ${text}` };
  }
};

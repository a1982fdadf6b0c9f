/** Delivers one message to one recipient at one address of one host, by TLS (RFC 3207) where that can be had. */

import type { DeliveryRequest, TlsState } from './delivery-request.ts';
import type { SmtpReply } from './smtp-reply.ts';
import { converse } from './smtp-session.ts';
import { createTranscript, type Phase } from './smtp-session-record.ts';

export type { DeliveryRequest, TlsState } from './delivery-request.ts';
export type { Phase } from './smtp-session-record.ts';

export type DeliveryReply =
  | (SmtpReply & {
      /** `refused`: the host's last word is 4yz, come again, or 5yz, do not. */
      readonly kind: 'accepted' | 'refused';
      /** null: the message went, or would have gone, in the clear. */
      readonly tls: TlsState | null;
      readonly transcript: string;
    })
  | {
      /**
       * The network, or a host that does not speak SMTP. With phase `final` the message may have been taken all the
       * same: the host has all of it, and its answer did not arrive.
       */
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly phase: Phase;
      readonly transcript: string;
    };

/**
 * Runs one delivery. STARTTLS is used where it is offered, and where the handshake then fails the message goes in the
 * clear over a second connection, unless `requireTls` (RFC 7435: opportunistic security does not stop delivery).
 * @returns what the host said or that it could not be asked; network failures are values
 * @throws whatever `onBeforeData` rejects with, and then the message has not been sent
 * @see RFC 5321 sections 3.3 and 4.5.3.2
 */
export const deliver = async (request: DeliveryRequest): Promise<DeliveryReply> => {
  const transcript = createTranscript();
  let outcome = await converse(request, transcript, false);
  if (outcome.kind === 'unreachable' && outcome.phase === 'starttls' && !request.requireTls) {
    transcript.add('*', 'TLS failed; once more in the clear');
    outcome = await converse(request, transcript, true);
  }
  return outcome.kind === 'unreachable'
    ? { ...outcome, transcript: transcript.text() }
    : { kind: outcome.kind, ...outcome.reply, tls: outcome.tls, transcript: transcript.text() };
};

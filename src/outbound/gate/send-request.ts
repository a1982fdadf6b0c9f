/** A send as it is asked for, whatever asks: REST, a tool, submission, a booking, a person's release. */

import type { NamedAddress } from '../../kernel/address.ts';
import type { AgentId, MessageId, PendingId } from '../../kernel/ids.ts';
import type { DraftAttachment } from '../../mail/compose/compose-message.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { Tx } from '../../store/store.ts';
import type { Rejection } from './gate-check.ts';

export type SendContent =
  | {
      kind: 'compose';
      subject: string;
      /** Markdown or plain text. */
      body: string;
      /** Where given, the HTML part; else it is rendered from the body. */
      html?: string;
      /** Where answers go, if not to the agent. */
      replyTo?: NamedAddress[];
      attachments: DraftAttachment[];
      trackOpens: boolean;
      /** Sent by the box itself (RFC 3834 section 5). */
      automatic?: boolean;
    }
  /** A whole mail as a mail program made it. */
  | { kind: 'raw'; raw: Uint8Array };

export interface SendRequest {
  agentId: AgentId;
  to: NamedAddress[];
  cc: NamedAddress[];
  /** Recipients that no field names. */
  bcc?: NamedAddress[];
  content: SendContent;
  /**
   * The message that this one answers or forwards: the send is a reply then, and joins its thread. `missing` where the
   * caller named one that is not there.
   */
  parent: StoredMessage | 'missing' | null;
  /** Runs in the transaction that settles the send; an error takes the send back. */
  alongside?: (tx: Tx, outcome: SendOutcome) => Promise<void>;
}

export type SendOutcome =
  | { kind: 'sent'; messageId: MessageId }
  | { kind: 'held'; pendingId: PendingId }
  | ({ kind: 'rejected' } & Rejection);

export type SendMail = (request: SendRequest) => Promise<SendOutcome>;

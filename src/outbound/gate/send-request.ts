/** A send request, from any source: REST, tool, submission, schedule. */

import type { Address, NamedAddress } from '../../kernel/address.ts';
import type { Credential, Via } from '../../kernel/caller.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MessageId, PendingId } from '../../kernel/ids.ts';
import type { DraftAttachment } from '../../mail/compose/compose-message.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { HoldReason } from '../../store/sending/held-sends.ts';
import type { Tx } from '../../store/store.ts';
import type { Rejection } from './gate-check.ts';

export type SendContent =
  | {
      kind: 'compose';
      /** The author of the instance's own mail; left out: the agent. */
      from?: NamedAddress;
      subject: string;
      /** Markdown or plain text. */
      body: string;
      /** The HTML part; left out: rendered from the body. */
      html?: string;
      /** Reply-To; left out: none. */
      replyTo?: NamedAddress[];
      attachments: DraftAttachment[];
      trackOpens: boolean;
      /** Sent by the instance itself, as auto-generated (RFC 3834 section 5). */
      automatic?: boolean;
    }
  /** A whole mail as submitted by a mail program. */
  | { kind: 'raw'; raw: Uint8Array };

export interface SendRequest {
  agentId: AgentId;
  /** The transport that it came by. */
  via: Via;
  /** What it came by; left out: an owner, or the instance itself. */
  credential?: Credential | undefined;
  /** The owner who sends in the agent's name; left out: the agent itself. */
  sentBy?: Address | undefined;
  to: NamedAddress[];
  cc: NamedAddress[];
  /** Recipients in no header field. */
  bcc?: NamedAddress[];
  content: SendContent;
  /**
   * The message that is answered or forwarded; the send joins its thread. `missing` where the caller named one that does
   * not exist.
   */
  parent: StoredMessage | 'missing' | null;
  /** Whether it includes an attachment of unauthenticated mail. */
  sendsOnDoubtful?: boolean;
  /** Runs in the transaction that decides the send; an error rolls the send back. */
  inTransaction?: (tx: Tx, outcome: SendOutcome) => Promise<void>;
}

export type SendOutcome =
  | { kind: 'sent'; messageId: MessageId; htmlChanged: string[] }
  | { kind: 'held'; pendingId: PendingId; reason: HoldReason; expiresAt: Millis; htmlChanged: string[] }
  | ({ kind: 'rejected' } & Rejection);

export type SendMail = (request: SendRequest) => Promise<SendOutcome>;

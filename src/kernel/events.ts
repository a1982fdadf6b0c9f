/** The events and what each carries. The names are the interface's, section 6. */

import type { MailboxId, WorkspaceId } from './ids.ts';

export interface EventData {
  'message.received': {
    message_id: string;
    thread_id: string;
    mailbox: string;
    from: string;
    subject: string;
    snippet: string;
    spam_verdict: 'PASS' | 'FAIL' | 'UNKNOWN';
  };
  'message.filtered': {
    mailbox: string;
    from: string;
    subject: string;
    reason: 'not_whitelisted' | 'blocked_sender';
    filter_mode: 'blacklist' | 'whitelist';
  };
  'message.sent': {
    message_id: string;
    thread_id: string;
    to: string[];
    subject: string;
    send_class: 'reply' | 'cold';
  };
  'message.delivered': { message_id: string; thread_id: string; to: string[]; subject: string };
  'message.bounced': {
    message_id: string;
    thread_id: string;
    to: string[];
    subject: string;
    bounce_type: 'permanent' | 'blocked' | 'expired';
  };
  'message.complained': { message_id: string; thread_id: string; to: string[]; subject: string };
  'approval.approved': { pending_id: string; message_id: string; to: string[]; subject: string };
  'approval.rejected': { pending_id: string; decision_note: string | null; to: string[]; subject: string };
  'approval.expired': { pending_id: string; to: string[]; subject: string };
  'domain.verified': { domain_id: string; domain: string };
  'workspace.throttled': WorkspaceRates;
  'workspace.resumed': WorkspaceRates;
  'workspace.paused': WorkspaceRates & { reason: string };
}

/** Shares from 0 to 1, over the last 7 days. */
interface WorkspaceRates {
  workspace_id: string;
  bounce_rate: number;
  complaint_rate: number;
}

export type EventName = keyof EventData;

/** An event as the code that causes it says it. */
export interface NewEvent<N extends EventName = EventName> {
  name: N;
  workspaceId: WorkspaceId;
  /** The agent's mailbox it concerns; null where it concerns the workspace. */
  mailboxId: MailboxId | null;
  data: EventData[N];
}

/** Every name that an endpoint may subscribe to. */
export const EVENT_NAMES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.bounced',
  'message.complained',
  'message.filtered',
  'approval.approved',
  'approval.rejected',
  'approval.expired',
  'domain.verified',
  'workspace.throttled',
  'workspace.paused',
  'workspace.resumed',
] as const satisfies readonly EventName[];

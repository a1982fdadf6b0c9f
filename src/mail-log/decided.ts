/** The lines on decisions of held mail. They are made of events, which tell of those at the CLI as well. */

import type { MailLine } from './mail-log.ts';
import type { Reason } from './reasons.ts';

const DECISIONS: Readonly<Record<string, Reason>> = {
  'approval.approved': 'approved',
  'approval.failed': 'not_released',
  'approval.rejected': 'turned_down',
  'approval.expired': 'not_decided',
};

/** Null: the event is none of held mail, or decides on an endpoint. */
export const toDecidedLine = (event: { name: string; data: Record<string, unknown> }): MailLine<'decided'> | null => {
  const reason = DECISIONS[event.name];
  const {
    pending_id: pendingId,
    message_id: messageId = null,
    edited = false,
    webhook_id: webhookId = null,
  } = event.data;
  if (reason === undefined || webhookId !== null) return null;
  return {
    mail: 'decided',
    reason,
    pending_id: String(pendingId),
    message_id: messageId === null ? null : String(messageId),
    edited: edited === true,
  };
};

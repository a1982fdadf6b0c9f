/** Held mail in the shape for its reviewers. */

import { viewOf } from '../../../access/view-of.ts';
import { formatNamed } from '../../../kernel/address.ts';
import { showConcealed } from '../../../mail/html/outgoing/visible-characters.ts';
import type { HeldSend } from '../../../store/sending/held-sends.ts';
import { heldMailShape } from './contract.ts';

/** @param agent its handle; null where the agent was removed */
export const viewHeldMail = viewOf(heldMailShape, (pending: HeldSend, agent: string | null) => ({
  pending_id: pending.id,
  agent,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  subject: showConcealed(pending.subject),
  attachments: pending.attachments.map(({ filename, contentType, size }) => ({
    filename: showConcealed(filename),
    contentType,
    size,
  })),
  html_differs: pending.htmlText !== null,
  edited: pending.changes !== null,
}));

/** What was booked, as the gate takes it when its time has come. */

import type { SendRequest } from '../gate/send-request.ts';
import type { ScheduledRequest } from './scheduled-dispatch.ts';

export const toSendRequest = (
  agentId: SendRequest['agentId'],
  booked: ScheduledRequest,
  parent: SendRequest['parent'],
): SendRequest => ({
  agentId,
  to: booked.to,
  cc: booked.cc,
  bcc: booked.bcc ?? [],
  content: {
    kind: 'compose',
    subject: booked.subject,
    body: booked.body,
    ...(booked.html !== undefined && { html: booked.html }),
    replyTo: booked.replyTo ?? [],
    attachments: booked.attachments.map(({ filename, contentType, base64 }) => ({
      filename,
      contentType,
      content: Buffer.from(base64, 'base64'),
    })),
    trackOpens: booked.trackOpens,
  },
  parent,
});

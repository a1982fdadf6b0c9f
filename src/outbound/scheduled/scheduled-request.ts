/** Converts a scheduled request to a send request. */

import type { ScheduledSend } from '../../store/sending/scheduled-sends.ts';
import type { SendRequest } from '../gate/send-request.ts';
import type { ScheduledRequest } from './scheduled-dispatch.ts';

export const toSendRequest = (
  { agentId, sentBy }: Pick<ScheduledSend, 'agentId' | 'sentBy'>,
  scheduled: ScheduledRequest,
  parent: SendRequest['parent'],
): SendRequest => ({
  agentId,
  via: scheduled.via ?? 'daemon',
  sentBy: sentBy ?? undefined,
  to: scheduled.to,
  cc: scheduled.cc,
  bcc: scheduled.bcc ?? [],
  content: {
    kind: 'compose',
    subject: scheduled.subject,
    body: scheduled.body,
    ...(scheduled.html !== undefined && { html: scheduled.html }),
    replyTo: scheduled.replyTo ?? [],
    attachments: scheduled.attachments.map(({ base64, ...attachment }) => ({
      ...attachment,
      content: Buffer.from(base64, 'base64'),
    })),
    trackOpens: scheduled.trackOpens,
  },
  parent,
  ...(scheduled.sendsOnDoubtful && { sendsOnDoubtful: true }),
});

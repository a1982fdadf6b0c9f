/** Mail from the box to a workspace's owner. */

import { formatNamed, type NamedAddress, parseNamedAddress } from '../kernel/address.ts';
import type { AgentId, PendingId } from '../kernel/ids.ts';
import type { DraftAttachment } from '../mail/compose.ts';
import type { Agent } from '../store/agents.ts';
import type { HoldReason } from './hold.ts';
import type { Outgoing } from './outgoing.ts';
import type { SendMail, SendRequest } from './send-request.ts';

export interface HeldNotice {
  pendingId: PendingId;
  agent: Agent;
  ownerEmail: string;
  outgoing: Outgoing;
  reason: HoldReason;
}

const REASONS: Record<HoldReason, string> = {
  agent_on_hold: 'This agent is set to have its mail reviewed.',
  thread_failed_authentication:
    'The last mail it answers failed authentication (DMARC): its sender may not be who it claims to be.',
};

/** As code, so that no word of the held mail is read as Markdown of ours. */
const code = (text: string): string => `\`${text.replace(/[`\r\n]+/g, ' ')}\``;

const textOf = ({ pendingId, agent, outgoing, reason }: HeldNotice): string => `
The agent **${agent.handle}** wants to send a mail that waits for your decision.

- Why it waits: ${REASONS[reason]}
- To: ${code([...outgoing.to, ...outgoing.cc].map(formatNamed).join(', '))}
- Subject: ${code(outgoing.subject)}

It is not sent unless you release it, and is dropped after a week.

    postroom pending show ${pendingId}
    postroom pending approve ${pendingId}
    postroom pending reject ${pendingId} --note "..."
`;

interface Notice {
  ownerEmail: string;
  subject: string;
  /** Markdown. */
  body: string;
  attachments: DraftAttachment[];
  /** Runs in the transaction that takes the mail. */
  alongside?: NonNullable<SendRequest['alongside']>;
}

/** An owner's address that is none is nobody to tell. */
const tellOwner = async (
  send: SendMail,
  system: AgentId,
  { ownerEmail, alongside, ...words }: Notice,
): Promise<void> => {
  const owner = parseNamedAddress(ownerEmail);
  if (!owner) return;
  const content = { kind: 'compose' as const, ...words, trackOpens: false, automatic: true };
  await send({ agentId: system, to: [owner], cc: [], content, parent: null, ...(alongside && { alongside }) });
};

export const tellOwnerOfHold = (send: SendMail, system: AgentId, held: HeldNotice): Promise<void> =>
  tellOwner(send, system, {
    ownerEmail: held.ownerEmail,
    subject: `A mail of ${held.agent.handle} waits for your decision`,
    body: textOf(held).trim(),
    attachments: [],
  });

export interface RoleNotice {
  /** postmaster@ or abuse@ a domain of the owner's. */
  address: string;
  ownerEmail: string;
  from: NamedAddress;
  subject: string;
  raw: Uint8Array;
}

/** Passes mail to postmaster or abuse on to the domain's owner, whole. */
export const passOnRoleMail = (send: SendMail, system: AgentId, mail: RoleNotice): Promise<void> =>
  tellOwner(send, system, {
    ownerEmail: mail.ownerEmail,
    subject: `Mail to ${mail.address}: ${mail.subject}`,
    body: `${code(formatNamed(mail.from))} wrote to ${code(mail.address)}. The mail is attached as it came.`,
    attachments: [{ filename: 'mail.eml', contentType: 'message/rfc822', content: Buffer.from(mail.raw) }],
  });

export interface WebhookNotice {
  ownerEmail: string;
  url: string;
  failures: number;
  alongside: NonNullable<SendRequest['alongside']>;
}

/** An endpoint has failed too often in a row and is off. */
export const tellOwnerOfWebhook = (
  send: SendMail,
  system: AgentId,
  { ownerEmail, url, failures, alongside }: WebhookNotice,
): Promise<void> =>
  tellOwner(send, system, {
    ownerEmail,
    subject: 'A webhook endpoint was turned off',
    body: `The webhook endpoint ${code(url)} has failed ${failures} times in a row and was turned off.

Events are held for 7 days and delivered once it is turned on again: an agent of the workspace does so by
\`PATCH /v1/webhooks?id=...\` with \`{"active": true}\`. What the endpoint answered is in \`GET /v1/webhooks/deliveries\`.`,
    attachments: [],
    alongside,
  });

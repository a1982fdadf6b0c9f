/** Every send, whatever brought it, passes here: gate, compose, accept. */

import type { Events } from '../events/events.ts';
import { addressKey, domainOf, formatNamed, type NamedAddress } from '../kernel/address.ts';
import type { Clock, Millis } from '../kernel/clock.ts';
import type { AgentId, MessageId, NewId } from '../kernel/ids.ts';
import type { DraftAttachment } from '../mail/compose.ts';
import { baseSubject, replyReferences } from '../mail/reply.ts';
import { findAgentById } from '../store/agents.ts';
import { insertDeliveries } from '../store/deliveries.ts';
import { findDomainById } from '../store/domains.ts';
import { insertMessage, nextMessageTime, type StoredMessage } from '../store/messages.ts';
import { insertRawMessage } from '../store/raw-messages.ts';
import { insertCorrespondent } from '../store/rules.ts';
import type { Db, Store, Tx } from '../store/store.ts';
import { addToThread, insertThread } from '../store/threads.ts';
import { findWorkspaceById } from '../store/workspaces.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { Composed } from '../workers/tasks.ts';
import { judgeSend, type Rejection, recipientsOf, type Send, type Sender } from './checks.ts';

export interface SendRequest {
  agentId: AgentId;
  to: NamedAddress[];
  cc: NamedAddress[];
  subject: string;
  /** Markdown or plain text. */
  body: string;
  /** Where given, the HTML part; else it is rendered from the body. */
  html?: string;
  attachments: DraftAttachment[];
  /** The message that this one answers or forwards: the send is a reply then, and joins its thread. */
  parent: StoredMessage | 'missing' | null;
  trackOpens: boolean;
}

export type SendOutcome = { kind: 'sent'; messageId: MessageId } | ({ kind: 'rejected' } & Rejection);

export interface SendNeeds {
  store: Store;
  events: Events;
  workers: WorkerPool;
  clock: Clock;
  newId: NewId;
  publicUrl: string;
  /** Told once a send is on disk, so that its first attempt is made at once. */
  wakeQueue: () => void;
}

export type SendMail = (request: SendRequest) => Promise<SendOutcome>;

export const createSend = (needs: SendNeeds): SendMail => {
  const { store, workers, clock, newId } = needs;
  return async (request) => {
    const now = clock.now();
    const early = await judge(store.read, request, now);
    if (early.rejection) return { kind: 'rejected', ...early.rejection };
    const messageId = newId<'message'>();
    const composed = await workers.run({
      kind: 'compose',
      draft: draftOf(request, early.sender, messageId, now),
      pixelUrl: request.trackOpens ? `${needs.publicUrl}/o/${messageId}.gif` : null,
    });
    return store.write(async (tx) => {
      // Judged again where it counts: what was true before composing may no longer be.
      const { rejection, sender } = await judge(tx.db, request, now);
      if (rejection) return { kind: 'rejected', ...rejection };
      await accept(needs, tx, request, sender, messageId, composed);
      tx.afterCommit(needs.wakeQueue);
      return { kind: 'sent', messageId };
    });
  };
};

type Judgement = { rejection: Rejection; sender: null } | { rejection: null; sender: Sender };

const judge = async (db: Db, request: SendRequest, now: Millis): Promise<Judgement> => {
  const sender = await findSender(db, request.agentId);
  const send: Send = {
    sender,
    to: request.to,
    cc: request.cc,
    attachments: request.attachments,
    parent: request.parent,
    now,
  };
  const rejection = await judgeSend(send, db);
  if (rejection) return { rejection, sender: null };
  if (!sender) throw new Error('The gate let a send without a sender pass.');
  return { rejection: null, sender };
};

const findSender = async (db: Db, agentId: AgentId): Promise<Sender | null> => {
  const agent = await findAgentById(db, agentId);
  const workspace = agent && (await findWorkspaceById(db, agent.workspaceId));
  const domain = agent && (await findDomainById(db, agent.domainId));
  return agent && workspace && domain ? { agent, workspace, domain } : null;
};

const parentOf = ({ parent }: SendRequest): StoredMessage | null => (parent === 'missing' ? null : parent);

const fromOf = ({ agent }: Sender): NamedAddress => ({ name: agent.displayName, address: agent.address });

/** The same for every attempt of a message, so that a repeated delivery is seen as one. */
const rfcIdOf = (messageId: MessageId, { agent }: Sender): string => `<${messageId}@${domainOf(agent.address)}>`;

const referencesOf = (parent: StoredMessage | null): { inReplyTo: string | null; references: string[] } =>
  parent?.rfcMessageId
    ? { inReplyTo: parent.rfcMessageId, references: replyReferences(parent.rfcMessageId, parent.references) }
    : { inReplyTo: null, references: [] };

const draftOf = (request: SendRequest, sender: Sender, messageId: MessageId, now: Millis) => ({
  from: fromOf(sender),
  to: request.to,
  cc: request.cc,
  subject: request.subject,
  body: request.body,
  ...(request.html !== undefined && { html: request.html }),
  date: now,
  messageId: rfcIdOf(messageId, sender),
  ...referencesOf(parentOf(request)),
  attachments: request.attachments,
});

/** All that a 200 promises, in one transaction: the mail, a queue row for each recipient, and the event. */
const accept = async (
  { events, clock, newId }: SendNeeds,
  tx: Tx,
  request: SendRequest,
  sender: Sender,
  messageId: MessageId,
  composed: Composed,
): Promise<void> => {
  const { mailboxId, workspaceId } = sender.agent;
  const from = fromOf(sender);
  const parent = parentOf(request);
  const sendClass = parent ? ('reply' as const) : ('cold' as const);
  const recipients = recipientsOf(request);
  const createdAt = await nextMessageTime(tx, mailboxId, clock.now());
  const entry = {
    subject: request.subject,
    snippet: composed.snippet,
    participants: [from, ...request.to, ...request.cc].map(formatNamed),
    unread: false,
    at: createdAt,
  };
  const threadId = parent?.threadId ?? newId<'thread'>();
  if (parent) await addToThread(tx, threadId, entry);
  else await insertThread(tx, threadId, mailboxId, baseSubject(request.subject), entry);
  await insertMessage(
    tx,
    {
      id: messageId,
      mailboxId,
      threadId,
      direction: 'out',
      from,
      to: request.to,
      cc: request.cc,
      replyTo: [],
      subject: request.subject,
      snippet: composed.snippet,
      unread: false,
      archived: false,
      status: 'sent',
      spamVerdict: null,
      authentication: null,
      rfcMessageId: rfcIdOf(messageId, sender),
      ...referencesOf(parent),
      automatic: false,
      sendClass,
      attachments: request.attachments.map(({ filename, contentType, content }) => ({
        filename,
        contentType,
        size: content.length,
      })),
      rawId: await insertRawMessage(tx, { mime: composed.mime, size: composed.size }),
      createdAt,
    },
    {
      subject: request.subject,
      sender: formatNamed(from),
      recipients: [...request.to, ...request.cc].map(formatNamed).join(', '),
      body: request.body,
    },
  );
  await insertDeliveries(
    tx,
    recipients.map(({ address }) => ({
      id: newId<'delivery'>(),
      messageId,
      mailboxId,
      address,
      domain: domainOf(address),
    })),
    createdAt,
  );
  for (const { address } of recipients) await insertCorrespondent(tx, mailboxId, addressKey(address), createdAt);
  await events.publish(tx, {
    name: 'message.sent',
    workspaceId,
    mailboxId,
    data: {
      message_id: messageId,
      thread_id: threadId,
      to: request.to.map(formatNamed),
      subject: request.subject,
      send_class: sendClass,
    },
  });
};

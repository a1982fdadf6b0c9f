/** The one way out for every send: check, prepare, check again, then hold or accept in one transaction. */

import type { Plans } from '../../config/plans.ts';
import type { NewId, PendingId } from '../../kernel/ids.ts';
import type { MailLine } from '../../mail-log/mail-log.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { startCooldown } from '../../store/sending/tripwires.ts';
import type { Store, Tx } from '../../store/store.ts';
import { type AcceptNeeds, accept } from './accept-send.ts';
import { findSender } from './find-sender.ts';
import type { KnownSend, Rejection, Send } from './gate-check.ts';
import { checkSend } from './gate-checks.ts';
import { publishRequested } from './held-events.ts';
import { hold, holdReason } from './hold.ts';
import { type PreparedMessage, type PrepareNeeds, parentOf, prepareMessage, recipientsOf } from './prepare-message.ts';
import { findSendClass } from './send-class.ts';
import type { SendMail, SendOutcome, SendRequest } from './send-request.ts';
import { COOLDOWN_MS, VELOCITY_SPIKE } from './tripwire-checks.ts';

export interface SendNeeds extends AcceptNeeds, PrepareNeeds {
  store: Store;
  plans: Plans;
  isLocalOnly: boolean;
  newId: NewId;
  /** Writes the notice of a held mail to an owner of the workspace, in the transaction that holds it. */
  notifyOwner: (tx: Tx, workspace: Workspace, pendingId: PendingId) => Promise<void>;
}

/** Refuses mail that is to be held but too long to show a reviewer completely. */
export const TOO_LONG_TO_REVIEW = 'too_long_to_review';

export const createSend = (needs: SendNeeds): SendMail => {
  const { store, newId } = needs;
  return async (request) => {
    // Refuses before the message is prepared; the decisive checks run in the transaction below.
    const early = await toSend(needs, request, store.read);
    const rejection = await checkSend(early, store.read, 'hold');
    const { sender } = early;
    if (rejection || !sender) return reject(store, request, rejection ?? { reason: 'mailbox_not_found' });
    const messageId = newId<'message'>();
    const attempt = async (isHeld: boolean): Promise<SendOutcome | null> => {
      const mail = await prepareMessage(needs, request, sender, messageId, early.now, isHeld);
      return store.write(async (tx) => {
        const outcome = await holdOrAccept(needs, tx, request, mail);
        if (outcome) await request.inTransaction?.(tx, outcome);
        return outcome;
      });
    };
    // A submitted mail goes as it is, unless a person has to review it: secrets in it are known once it is read.
    return (await attempt(false)) ?? ((await attempt(true)) as SendOutcome);
  };
};

const reject = (store: Store, { inTransaction }: SendRequest, rejection: Rejection): Promise<SendOutcome> => {
  const outcome = { kind: 'rejected' as const, ...rejection };
  if (!inTransaction) return Promise.resolve(outcome);
  return store.write(async (tx) => {
    await inTransaction(tx, outcome);
    return outcome;
  });
};

/** @returns null where the mail would be held, and is not composed here */
const holdOrAccept = async (
  needs: SendNeeds,
  tx: Tx,
  request: SendRequest,
  mail: PreparedMessage,
): Promise<SendOutcome | null> => {
  const send = withPreparedMessage(await toSend(needs, request, tx.db), mail);
  if (!hasSender(send)) return { kind: 'rejected', reason: 'mailbox_not_found' };
  const [early, reason, rejection] = await Promise.all([
    checkSend(send, tx.db, 'hold'),
    holdReason(send, tx.db),
    checkSend(send, tx.db, 'sending'),
  ]);
  if (early) return { kind: 'rejected', ...early };
  if (reason) {
    if (!mail.isOurs) return null;
    if (!mail.isWhole) return { kind: 'rejected', reason: TOO_LONG_TO_REVIEW };
    const pendingId = needs.newId<'pending'>();
    const expiresAt = await hold(tx, send, reason, mail, pendingId, send.now);
    const { workspaceId, mailboxId, address } = send.sender.agent;
    const { to, subject, sentBy = null } = mail.fields;
    const requested = { id: pendingId, workspaceId, mailboxId, to, subject, reason, expiresAt, sentBy };
    await publishRequested(needs.events, tx, requested, address);
    tx.afterCommit(() => needs.mailLog.record(toHeldLine(pendingId, reason, mail)));
    await needs.notifyOwner(tx, send.sender.workspace, pendingId);
    return { kind: 'held', pendingId, reason, expiresAt, htmlChanged: mail.htmlChanged };
  }
  return sendNow(needs, tx, send, mail, rejection);
};

const toHeldLine = (id: PendingId, hold: string, { fields }: PreparedMessage): MailLine<'held'> => ({
  mail: 'held',
  reason: 'held',
  pending_id: id,
  hold,
  from: fields.from.address,
  to: recipientsOf(fields).map(({ address }) => address),
});

/**
 * The last step of every send, approved ones included. A velocity spike refuses and starts the mailbox's cooldown.
 * @param rejection what the last checks in this transaction have found
 */
export const sendNow = async (
  needs: AcceptNeeds,
  tx: Tx,
  send: KnownSend,
  mail: PreparedMessage,
  rejection: Rejection | null,
): Promise<Exclude<SendOutcome, { kind: 'held' }>> => {
  if (rejection) {
    if (rejection.reason === VELOCITY_SPIKE) {
      await startCooldown(tx, send.sender.agent.mailboxId, send.now + COOLDOWN_MS);
    }
    return { kind: 'rejected', ...rejection };
  }
  await accept(needs, tx, send, mail);
  return { kind: 'sent', messageId: mail.fields.messageId, htmlChanged: mail.htmlChanged };
};

export const hasSender = (send: Send): send is KnownSend => send.sender !== null;

/** With the sizes and the body hash of the prepared message. */
export const withPreparedMessage = (send: Send, { fields, secrets }: PreparedMessage): Send => ({
  ...send,
  attachmentBytes: fields.attachments.reduce((sum, { size }) => sum + size, 0),
  bodyHash: Buffer.from(fields.bodyHash, 'hex'),
  secrets,
});

export const toSend = async (
  { plans, isLocalOnly, clock }: Pick<SendNeeds, 'plans' | 'isLocalOnly' | 'clock'>,
  request: SendRequest,
  db: Tx['db'],
): Promise<Send> => {
  const { content, parent } = request;
  const attachments = content.kind === 'compose' ? content.attachments : [];
  const recipients = recipientsOf(request);
  const sender = await findSender(db, request.agentId, plans);
  return {
    sender,
    recipients,
    attachmentBytes: attachments.reduce((sum, { content: bytes }) => sum + bytes.length, 0),
    parent,
    sendClass: sender ? await findSendClass(db, sender.workspace.id, parentOf(request), recipients) : 'cold',
    sendsOnDoubtful: request.sendsOnDoubtful,
    bodyHash: null,
    secrets: [],
    plans,
    isLocalOnly,
    now: clock.now(),
  };
};

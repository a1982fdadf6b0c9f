/** The one way out for every send: check, prepare, check again, then hold or accept in one transaction. */

import type { Plans } from '../../config/plans.ts';
import type { MessageId, NewId, PendingId } from '../../kernel/ids.ts';
import type { MailLine } from '../../mail-log/mail-log.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { startCooldown } from '../../store/sending/tripwires.ts';
import type { Store, Tx } from '../../store/store.ts';
import { type AcceptNeeds, accept } from './accept-send.ts';
import { findSender } from './find-sender.ts';
import type { KnownSend, Rejection, Send } from './gate-check.ts';
import { checkSend } from './gate-checks.ts';
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

/** The refusal of a mail to hold that a reviewer cannot be shown completely. */
const TOO_LONG_TO_REVIEW = 'too_long_to_review';

export const createSend = (needs: SendNeeds): SendMail => {
  const { store, newId } = needs;
  return async (request) => {
    // Refuses before the message is prepared; the decisive checks run in the transaction below.
    const early = await toSend(needs, request, store.read);
    const rejection = await checkSend(early, store.read, 'hold');
    if (rejection || !early.sender) return reject(store, request, rejection ?? { reason: 'mailbox_not_found' });
    const mail = await prepareMessage(needs, request, early.sender, newId<'message'>(), early.now);
    return store.write(async (tx) => {
      const outcome = await holdOrAccept(needs, tx, request, mail);
      await request.alongside?.(tx, outcome);
      return outcome;
    });
  };
};

const reject = (store: Store, { alongside }: SendRequest, rejection: Rejection): Promise<SendOutcome> => {
  const outcome = { kind: 'rejected' as const, ...rejection };
  if (!alongside) return Promise.resolve(outcome);
  return store.write(async (tx) => {
    await alongside(tx, outcome);
    return outcome;
  });
};

const holdOrAccept = async (
  needs: SendNeeds,
  tx: Tx,
  request: SendRequest,
  mail: PreparedMessage,
): Promise<SendOutcome> => {
  const send = withPreparedMessage(await toSend(needs, request, tx.db), mail);
  const early = await checkSend(send, tx.db, 'hold');
  if (early || !hasSender(send)) return { kind: 'rejected', ...(early ?? { reason: 'mailbox_not_found' }) };
  const reason = await holdReason(send, tx.db);
  if (reason) {
    if (!mail.isWhole) return { kind: 'rejected', reason: TOO_LONG_TO_REVIEW };
    const pendingId = needs.newId<'pending'>();
    await hold(tx, send, reason, mail, pendingId, send.now);
    tx.afterCommit(() => needs.mailLog.record(toHeldLine(pendingId, reason, mail)));
    await needs.notifyOwner(tx, send.sender.workspace, pendingId);
    return { kind: 'held', pendingId };
  }
  return sendNow(needs, tx, send, mail);
};

const toHeldLine = (id: PendingId, hold: string, { fields }: PreparedMessage): MailLine<'held'> => ({
  ...{ mail: 'held', reason: 'held', pending_id: id, hold, from: fields.from.address },
  to: recipientsOf(fields).map(({ address }) => address),
});

/** The last step of every send, approved ones included. A velocity spike refuses and starts the mailbox's cooldown. */
export const sendNow = async (
  needs: AcceptNeeds,
  tx: Tx,
  send: KnownSend,
  mail: PreparedMessage,
): Promise<{ kind: 'sent'; messageId: MessageId } | ({ kind: 'rejected' } & Rejection)> => {
  const rejection = await checkSend(send, tx.db, 'sending');
  if (rejection) {
    if (rejection.reason === VELOCITY_SPIKE) {
      await startCooldown(tx, send.sender.agent.mailboxId, send.now + COOLDOWN_MS);
    }
    return { kind: 'rejected', ...rejection };
  }
  await accept(needs, tx, send, mail);
  return { kind: 'sent', messageId: mail.fields.messageId };
};

export const hasSender = (send: Send): send is KnownSend => send.sender !== null;

/** With the sizes and the body hash of the prepared message. */
export const withPreparedMessage = (send: Send, { fields, secrets }: PreparedMessage): Send => ({
  ...send,
  attachmentBytes: fields.attachments.reduce((sum, { size }) => sum + size, 0),
  bodyHash: Buffer.from(fields.bodyHash, 'hex'),
  secrets,
});

const toSend = async ({ plans, isLocalOnly, clock }: SendNeeds, request: SendRequest, db: Tx['db']): Promise<Send> => {
  const { content, parent } = request;
  const attachments = content.kind === 'compose' ? content.attachments : [];
  const recipients = recipientsOf(request);
  return {
    sender: await findSender(db, request.agentId, plans),
    recipients,
    attachmentBytes: attachments.reduce((sum, { content: bytes }) => sum + bytes.length, 0),
    parent,
    sendClass: await findSendClass(db, parentOf(request), recipients),
    bodyHash: null,
    secrets: [],
    plans,
    isLocalOnly,
    now: clock.now(),
  };
};

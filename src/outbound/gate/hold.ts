/** Holds mail for review: the reasons, and the row that is stored. */

import { addressKey } from '../../kernel/address.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { AgentId, PendingId } from '../../kernel/ids.ts';
import { hasUnauthenticatedSender } from '../../store/mail/correspondents.ts';
import { hasUnauthenticatedSinceLastSent } from '../../store/mail/thread-messages.ts';
import { type HeldSecret, type HoldReason, hasHeldNotGranted, insertHeldSend } from '../../store/sending/held-sends.ts';
import type { Db, Tx } from '../../store/store.ts';
import { countGranted } from '../../store/vault/secret-grants.ts';
import { listSecretNames } from '../../store/vault/secrets.ts';
import type { KnownSend, SecretsFound } from './gate-check.ts';
import type { PreparedMessage } from './prepare-message.ts';

/** A held mail without a decision expires after a week, unsent. */
const HOLD_EXPIRES_AFTER_MS = 7 * DAY;

type HoldCheck = (send: KnownSend, db: Db) => Promise<HoldReason | null> | HoldReason | null;

/**
 * Holding a mail for a secret tells its agent that one of thousands of guesses is in the vault. So after a mail with
 * an ungranted secret, all its mail is held for a day with one constant reason, unless a person releases that mail.
 * Runs first, so that no other reason tells.
 */
const guessesSecrets: HoldCheck = async ({ sender: { agent }, now }, db) =>
  (await hasHeldNotGranted(db, agent.id, now - DAY)) ? 'guesses_secrets' : null;

/** No mail with a value of the vault leaves unseen by a person, whatever the agent's setting. */
const holdsNoSecret: HoldCheck = ({ secrets }) => {
  if (secrets === 'unchecked') return 'secrets_not_checked';
  return secrets.length > 0 ? 'holds_a_secret' : null;
};

const agentIsOnHold: HoldCheck = ({ sender: { agent } }) => (agent.hold ? 'agent_on_hold' : null);

/**
 * Whether one of these failed authentication: the answered message, a message received in the thread since the agent
 * last sent there, or the source of an attachment. An authentic message in the thread does not clear it.
 */
const isThreadDoubtful = async ({ parent, sendsOnDoubtful }: KnownSend, db: Db): Promise<boolean> => {
  if (sendsOnDoubtful) return true;
  if (parent === null || parent === 'missing') return false;
  return parent.doubtful || (await hasUnauthenticatedSinceLastSent(db, parent.threadId));
};

/** Whether an unauthenticated message named a recipient: an agent can obey such mail outside of its thread, too. */
const isRecipientDoubtful = ({ sender: { agent }, recipients }: KnownSend, db: Db): Promise<boolean> =>
  hasUnauthenticatedSender(
    db,
    agent.mailboxId,
    recipients.map(({ address }) => addressKey(address)),
  );

const isGuarded: HoldCheck = async (send, db) => {
  if (!send.sender.agent.guard) return null;
  return (await isThreadDoubtful(send, db)) || (await isRecipientDoubtful(send, db)) ? 'guarded' : null;
};

const holdChecks: readonly (readonly [name: HoldReason, check: HoldCheck])[] = [
  ['guesses_secrets', guessesSecrets],
  ['holds_a_secret', holdsNoSecret],
  ['agent_on_hold', agentIsOnHold],
  ['guarded', isGuarded],
];

/** Runs the checks, which read at once. */
export const runHoldChecks = (send: KnownSend, db: Db): Promise<{ name: HoldReason; reason: HoldReason | null }[]> =>
  Promise.all(holdChecks.map(async ([name, check]) => ({ name, reason: await check(send, db) })));

/** The first reason to hold; null where none applies. */
export const holdReason = async (send: KnownSend, db: Db): Promise<HoldReason | null> =>
  (await runHoldChecks(send, db)).find(({ reason }) => reason)?.reason ?? null;

/** Tells an agent about held mail: the next step, and what still goes. */
const WAITING =
  'Accepted: do not send it again. `get_pending` (GET /v1/messages/pending/{id}) has the decision; without one it expires unsent at `expires_at`.';

export const HOLD_HINTS: Record<HoldReason, string> = {
  agent_on_hold: 'A person reviews all that you send, replies too.',
  guarded:
    'Mail that failed authentication is in this thread, is sent on, or named a recipient, so a person looks first. Other mail goes.',
  holds_a_secret: 'It holds a value of the vault, so a person looks first. Without the value it would go at once.',
  secrets_not_checked: 'The key of the vault is missing, so all mail waits for a person. The operator is told.',
  guesses_secrets: 'A mail of yours held a value of the vault that you have no grant of: for 24 h all of it waits.',
};

export const hintOfHold = (reason: HoldReason): string => `${HOLD_HINTS[reason]} ${WAITING}`;

/** Names the found secrets for reviewers; leaves out those removed since. */
export const nameSecrets = async (db: Db, found: SecretsFound): Promise<HeldSecret[]> => {
  if (found === 'unchecked' || found.length === 0) return [];
  const ids = found.map(({ secretId }) => secretId);
  const names = await listSecretNames(db, ids);
  return found.flatMap(({ secretId, where }) => {
    const name = names.get(secretId);
    return name === undefined ? [] : [{ name, where }];
  });
};

const holdsNotGranted = async (db: Db, agentId: AgentId, found: SecretsFound): Promise<boolean> => {
  if (found === 'unchecked' || found.length === 0) return false;
  const ids = found.map(({ secretId }) => secretId);
  return (await countGranted(db, agentId, ids)) < ids.length;
};

/** @returns when it expires without a decision */
export const hold = async (
  tx: Tx,
  { sender: { agent }, sendClass }: KnownSend,
  reason: HoldReason,
  mail: PreparedMessage,
  id: PendingId,
  now: Millis,
): Promise<Millis> => {
  const { fields, mime, size } = mail;
  const expiresAt = now + HOLD_EXPIRES_AFTER_MS;
  const secrets = await nameSecrets(tx.db, mail.secrets);
  await insertHeldSend(
    tx,
    {
      id,
      agentId: agent.id,
      mailboxId: agent.mailboxId,
      workspaceId: agent.workspaceId,
      reason,
      sendClass,
      to: fields.to,
      cc: fields.cc,
      bcc: fields.bcc,
      replyTo: fields.replyTo ?? [],
      subject: fields.subject,
      snippet: fields.snippet,
      attachments: fields.attachments,
      htmlText: mail.htmlText,
      secrets,
      notGranted: await holdsNotGranted(tx.db, agent.id, mail.secrets),
      sentBy: fields.sentBy ?? null,
      createdAt: now,
      expiresAt,
    },
    { outgoing: JSON.stringify(fields), mime, size },
  );
  return expiresAt;
};

/**
 * The catalogue of notices: for each kind its producer's data and the composed mail. A new kind is one entry here and
 * its producer.
 */

import { type Address, addressKey, formatNamed, type NamedAddress, parseNamedAddress } from '../kernel/address.ts';
import { isoTime, type Millis } from '../kernel/clock.ts';
import type { DomainId, MailboxId, MessageId, PendingId, WorkspaceId } from '../kernel/ids.ts';
import { isolated } from '../kernel/text/clean-text.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import { findDomainById } from '../store/accounts/domains.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import { findRoleMailDay, type StoredNotice } from '../store/events/notices.ts';
import { findMessage } from '../store/mail/messages.ts';
import { findRawMessage } from '../store/mail/raw-messages.ts';
import { listOwnersOn } from '../store/owners/own-addresses.ts';
import { findOwner, listWorkspacesOf } from '../store/owners/owners.ts';
import {
  countHeldSince,
  findHeldSend,
  type HeldSend,
  type HoldReason,
  MAY_HOLD_SECRET,
} from '../store/sending/held-sends.ts';
import type { Db } from '../store/store.ts';
import { type DigestData, digestBody, digestSubject } from './digest-text.ts';
import { failingDomainText, verifiedDomainText } from './domain-text.ts';
import { code } from './inline-code.ts';
import { type ServerFaults, serverFaultsSubject, serverFaultsText } from './server-faults-text.ts';

export interface NoticeMail {
  /**
   * Role mail and claims have separate senders: their bounces, and complaints by addresses from signups, do not
   * suppress notices that owners must act upon.
   */
  sender: 'notices' | 'role-mail' | 'claims';
  to: NamedAddress;
  subject: string;
  /** Markdown. */
  body: string;
  /** A mail that is attached whole, zstd-compressed; null: none. */
  attachedMime: Uint8Array | null;
}

/** Left out: the sender of notices, and no mail. */
type NoticeText = Pick<NoticeMail, 'subject' | 'body'> & Partial<Pick<NoticeMail, 'sender' | 'attachedMime'>>;

/** Why a mail waits, in a sentence. */
export const HOLD_REASONS: Record<HoldReason, string> = {
  holds_a_secret: 'It holds a value that stands in the vault of this workspace.',
  guesses_secrets:
    'An earlier mail of this agent holds a secret that is not granted to it; all of its mail is held for a day.',
  secrets_not_checked: 'The key of the vault is missing, so it could not be searched for secrets.',
  agent_on_hold: 'The agent is on hold: every mail of it waits for a person.',
  guarded:
    'Mail that did not authenticate is in its thread, is sent on, or names one of the recipients: its sender may not be who it claims to be.',
};

const recipientLine = (field: string, recipients: readonly NamedAddress[]): string[] =>
  recipients.length > 0 ? [`- ${field}: ${code(recipients.map(formatNamed).join(', '))}`] : [];

const attachmentLines = ({ attachments }: HeldSend): string[] =>
  attachments.map(
    ({ filename, contentType, size }) => `- Attachment: ${code(filename)}, ${code(contentType)}, ${size} bytes`,
  );

/** The content of mail held for a secret must not leave in a notice: `postroom pending show` has it. */
const shownContent = (pending: HeldSend): string[] =>
  MAY_HOLD_SECRET.has(pending.reason) ? [] : [`- Subject: ${code(pending.subject)}`, ...attachmentLines(pending)];

/** @param url the mail in the console; undefined in notices that older versions wrote */
const heldText = (pending: HeldSend, handle: string, url: string | undefined): string =>
  [
    `The agent **${handle}** wants to send a mail that waits for your decision.`,
    '',
    `- Why it waits: ${HOLD_REASONS[pending.reason]}`,
    ...recipientLine('To', pending.to),
    ...recipientLine('Cc', pending.cc),
    ...recipientLine('Bcc', pending.bcc),
    ...recipientLine('Answers go to', pending.replyTo),
    ...shownContent(pending),
    ...(pending.htmlText === null
      ? []
      : ['', '**Its HTML part reads differently from its text part.** `postroom pending show` has both.']),
    '',
    'It is not sent unless you approve it. Not decided within a week, it expires.',
    '',
    ...(url === undefined ? [] : ['Read it and decide in the console, after signing in:', '', `<${url}>`, '']),
    'On the machine itself, then with `approve` or `reject` for `show`:',
    '',
    // Its id once: filters take several words of hexadecimal digits for the marks of spam.
    `    postroom pending show ${pending.id}`,
  ].join('\n');

const heldDigestText = (count: number, url: string): string =>
  `${count} more of your agents' mails ${count === 1 ? 'waits' : 'wait'} for your decision. They came too fast to be told of one by one.

None is sent unless you approve it, and each expires after a week. Read them and decide in the console, after signing in:

<${url}>

Or on the machine itself:

    postroom pending list`;

const webhookText = (url: string, failures: number | null): string =>
  `The webhook endpoint ${code(url)} has ${failures === null ? 'answered 410 (Gone)' : `failed ${failures} times in a row`} and was turned off.

Events are held for 7 days and delivered once it is turned on again: in the console, under Webhooks, where its answers are
too, or by an agent, with \`PATCH /v1/webhooks?id=...\` and \`{"active": true}\`.`;

const pausedText = (slug: string, reason: 'bounce_rate' | 'complaint_rate', share: number): string =>
  `${reason === 'bounce_rate' ? 'Bounces' : 'Complaints'} reached ${(share * 100).toFixed(2)} % of what the workspace ${code(slug)} sent within 7 days. Its sending is
paused, because receivers would soon take none of its mail. Every send is refused with \`workspace_paused\` until you resume it.

Look first at whom it wrote to, in the console under Health. Then resume it there on Home, or on the machine:

    postroom workspaces resume ${slug}`;

const mailFullText = (slug: string, limit: number): string =>
  `The workspace ${code(slug)} keeps as much mail as its plan includes, ${(limit / 1_000_000).toLocaleString('en')} MB. Its mailboxes take no
more: who writes to them is asked to try again later, and other mail hosts give up after some days.

Have your agents delete mail that they need no more: \`DELETE /v1/messages/{id}\`, or the tool \`delete_message\`. It makes room
from the next night on, at 3:37 UTC. A larger plan makes room at once; the operator of the instance sets it.`;

/** Contains only the handle of an outsider's signup, which cannot hold words or links. */
const claimText = ({ url, address, until }: { url: string; address: string; until: Millis }): string =>
  `A software agent made itself the mail address ${code(address)} and named you as its owner. If you know of it, open this
link and press the button there. It works once, for 15 minutes (until ${isoTime(until).slice(11, 16)} UTC):

<${url}>

The workspace is yours from then on, and its agents may send mail.

If you know of no such agent, do nothing: it cannot send mail, and ends by itself.`;

/** A workspace's name may hold any text; its slug and the inviter's address cannot. */
const invitationText = ({ url, invitedBy, workspace, until }: InvitationData): string =>
  `${code(invitedBy)} asks you to own the workspace ${code(workspace)} of software agents together. If you know of it, open
this link and press the button there, by ${isoTime(until).slice(0, 10)}:

<${url}>

If you do not, do nothing: you own nothing without it.`;

const passkeyText = ({ name, at, url }: { name: string; at: Millis; url: string }): string =>
  `The passkey ${code(name)} signs you in from now on. It was added at ${isoTime(at).slice(0, 16).replace('T', ' ')} UTC.

If you did not add it, remove it, and sign out everywhere:

<${url}>`;

const signInText = ({ url, until }: { url: string; until: Millis }): string =>
  `Open this link and press the button there to sign in. It works once, for 15 minutes (until ${isoTime(until).slice(11, 16)} UTC):

<${url}>

If you did not ask for it, do nothing: nobody is signed in without it.`;

interface InvitationData {
  url: string;
  invitedBy: Address;
  /** The slug. */
  workspace: string;
  until: Millis;
}

/**
 * Composes a notice; null where it no longer applies, because its subject is decided or deleted. `data` names rows,
 * which are read when it is mailed.
 */
type NoticeKind<Data extends object> = (db: Db, data: Data, ownerEmail: string) => Promise<NoticeText | null>;

const kind = <Data extends object>(compose: NoticeKind<Data>): NoticeKind<Data> => compose;

const NOTICE_KINDS = {
  held: kind<{ pendingId: PendingId; url?: string }>(async (db, { pendingId, url }) => {
    const pending = await findHeldSend(db, null, pendingId);
    if (pending?.status !== 'pending') return null;
    const handle = (await findAgentById(db, pending.agentId))?.handle ?? 'a removed agent';
    const subject = `A mail of ${handle} waits for your decision`;
    return { subject, body: heldText(pending, handle, url) };
  }),
  /** Held mail beyond the hourly limit that is still undecided. */
  'held-digest': kind<{ since: Millis; url: string }>(async (db, { since, url }, ownerEmail) => {
    const address = parseNamedAddress(ownerEmail)?.address;
    const owner = address && (await findOwner(db, addressKey(address)));
    const workspaces = owner ? await listWorkspacesOf(db, owner.id) : [];
    const ids = workspaces.map(({ id }) => id);
    const count = await countHeldSince(db, ids, since);
    if (count === 0) return null;
    const subject = `${count} more ${count === 1 ? 'mail waits' : 'mails wait'} for your decision`;
    return { subject, body: heldDigestText(count, url) };
  }),
  /** `until`: when the link ends. */
  claim: kind<{ url: string; address: string; until: Millis }>(async (_db, data) => ({
    sender: 'claims',
    subject: 'Your agent has made a workspace: claim it',
    body: claimText(data),
  })),
  invitation: kind<InvitationData>(async (_db, data) => ({
    sender: 'claims',
    subject: 'You are invited to a workspace',
    body: invitationText(data),
  })),
  'sign-in': kind<{ url: string; until: Millis }>(async (_db, data) => ({
    subject: 'Your sign-in link',
    body: signInText(data),
  })),
  'passkey-added': kind<{ name: string; at: Millis; url: string }>(async (_db, data) => ({
    subject: 'A passkey was added to your sign-in',
    body: passkeyText(data),
  })),
  /** Written without `workspaceId` by older versions. `failures`: null where it answered 410. */
  'webhook-off': kind<{ workspaceId?: WorkspaceId; url: string; failures: number | null }>(async (db, data) => {
    const { workspaceId, url, failures } = data;
    const workspace = workspaceId && (await findWorkspaceById(db, workspaceId));
    if (workspace && workspace.removedAt !== null) return null;
    const subject = 'A webhook endpoint was turned off';
    return { subject, body: webhookText(url, failures) };
  }),
  'sending-paused': kind<{ workspaceId: WorkspaceId; reason: 'bounce_rate' | 'complaint_rate'; share: number }>(
    async (db, { workspaceId, reason, share }) => {
      const workspace = await findWorkspaceById(db, workspaceId);
      if (workspace?.sendingState !== 'paused' || workspace.removedAt !== null) return null;
      const subject = `Sending of the workspace ${workspace.slug} is paused`;
      return { subject, body: pausedText(workspace.slug, reason, share) };
    },
  ),
  /** `limit`: the bytes that its plan includes. */
  'mail-full': kind<{ workspaceId: WorkspaceId; limit: number }>(async (db, { workspaceId, limit }) => {
    const workspace = await findWorkspaceById(db, workspaceId);
    if (!workspace || workspace.removedAt !== null) return null;
    const subject = `The workspace ${workspace.slug} takes no more mail`;
    return { subject, body: mailFullText(workspace.slug, limit) };
  }),
  'domain-failing': kind<{ domainId: DomainId }>(async (db, { domainId }) => {
    const domain = await findDomainById(db, domainId);
    if (domain?.status !== 'failing') return null;
    const subject = `The domain ${domain.name} can no longer send`;
    const ownersOn = domain.workspaceId ? await listOwnersOn(db, domain.workspaceId, domain.name) : [];
    return { subject, body: failingDomainText(domain, ownersOn) };
  }),
  'domain-verified': kind<{ domainId: DomainId }>(async (db, { domainId }) => {
    const domain = await findDomainById(db, domainId);
    if (!domain || domain.status === 'pending') return null;
    const ownersOn = domain.workspaceId ? await listOwnersOn(db, domain.workspaceId, domain.name) : [];
    const subject = `The domain ${domain.name} is verified`;
    return { subject, body: verifiedDomainText(domain, ownersOn) };
  }),
  /** Mail to postmaster or abuse, as stored in a mailbox of the instance. */
  'role-mail': kind<{ address: string; mailboxId: MailboxId; messageId: MessageId }>(
    async (db, { address, mailboxId, messageId }) => {
      const message = await findMessage(db, mailboxId, messageId);
      const raw = message && (await findRawMessage(db, message.rawId));
      if (!message || !raw) return null;
      const subject = `Mail to ${address}: ${isolated(message.subject)}`;
      const from = code(formatNamed(message.from));
      const doubt = message.doubtful ? ' Nothing proves that, or it looks like spam.' : '';
      const body = `A mail to ${code(address)} says that it is from ${from}.${doubt} It is attached as it came.`;
      return { sender: 'role-mail', subject, body, attachedMime: raw.mime };
    },
  ),
  /** Role mail beyond the limit of the UTC day that begins at `day`. */
  'role-digest': kind<{ day: Millis }>(async (db, { day }, ownerEmail) => {
    const date = isoTime(day).slice(0, 10);
    const { count, withheld } = await findRoleMailDay(db, ownerEmail, day);
    const lines = withheld.map(({ address, from, subject }) => `- ${code(address)}: ${code(from)}, ${code(subject)}`);
    const body = [
      `${count} mails came to postmaster and abuse addresses of yours on ${date} (UTC), more than are passed on in a day.`,
      'The first that were kept back, with the senders that they name:',
      '',
      ...lines,
    ].join('\n');
    return { sender: 'role-mail', subject: `Mail to postmaster and abuse on ${date}`, body };
  }),
  'server-faults': kind<ServerFaults>(async (_db, data) => ({
    subject: serverFaultsSubject(data),
    body: serverFaultsText(data),
  })),
  digest: kind<DigestData>(async (_db, data) => ({ subject: digestSubject(data), body: digestBody(data) })),
};

type NoticeKinds = typeof NOTICE_KINDS;

/** A notice from its producer. */
export type NoticeSubject = {
  [K in keyof NoticeKinds]: { kind: K; data: Parameters<NoticeKinds[K]>[1] };
}[keyof NoticeKinds];

/** Null where the notice no longer applies, or the owner's address does not parse. */
export const composeNotice = async (db: Db, notice: StoredNotice): Promise<NoticeMail | null> => {
  const compose = (NOTICE_KINDS as Record<string, NoticeKind<never> | undefined>)[notice.kind];
  if (!compose) throw new Error(`A notice of an unknown kind: ${notice.kind}`);
  const to = parseNamedAddress(notice.ownerEmail);
  const text = to && (await compose(db, notice.data as never, notice.ownerEmail));
  return to && text && { sender: 'notices', attachedMime: null, ...text, to };
};

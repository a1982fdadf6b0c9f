/** Mail from the instance to owners, through the send gate. */

import type { Config } from '../config/config.ts';
import { addressKey, isAddressOf, type NamedAddress, parseNamedAddress } from '../kernel/address.ts';
import { BoundedMap } from '../kernel/bounded-map.ts';
import { type Clock, DAY, type Millis } from '../kernel/clock.ts';
import type { AgentId, WorkspaceId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { NoticeSubject } from '../notices/notice-kinds.ts';
import { createNotices, type NoticeMail, type Notices, type SendNotice } from '../notices/notices.ts';
import type { ReputationNeeds } from '../outbound/gate/reputation-state.ts';
import type { SendMail } from '../outbound/gate/send-request.ts';
import { NOTICES, systemAddress } from '../resources/workspaces/system-senders.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import { isOwnAddress, isOwnerAddress } from '../store/owners/own-addresses.ts';
import { listNoticeAddresses } from '../store/owners/told-settings.ts';
import type { Tx } from '../store/store.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { EVERY_MINUTE } from './jobs.ts';
import type { Part } from './part.ts';
import type { Processing } from './processing.ts';
import type { Storage } from './storage.ts';

/** Owners without an outside address that were logged within a day. */
const MAX_NAMED = 1_000;

/** Logs that an owner has an address of this instance, once a day for each. */
const createOwnAddressLog = (log: Log, clock: Clock) => {
  const named = new BoundedMap<string, Millis>(MAX_NAMED);
  return (kind: string, owner: string): void => {
    const now = clock.now();
    if ((named.get(owner) ?? Number.NEGATIVE_INFINITY) > now - DAY) return;
    named.set(owner, now);
    const reason = 'mail to this address stays within this service, where an agent may read it';
    log.warn({ notice: kind, owner, reason }, 'an owner could not be told');
  };
};

export const createNoticesPart = (
  { base_domain: baseDomain, operator }: Config,
  log: Log,
  { store, newId, runtime }: Storage,
  { onError }: Processing,
) => {
  const logOwnAddress = createOwnAddressLog(log, runtime.clock);
  const notices = createNotices({
    store,
    clock: runtime.clock,
    newId,
    checkOwner: async ({ kind, ownerEmail }) => {
      const address = parseNamedAddress(ownerEmail)?.address;
      if (!address) return 'ended';
      const email = addressKey(address);
      if (await isOwnAddress(store.read, email, baseDomain)) return 'own-address';
      if (operator.address !== null && isAddressOf(operator.address, email)) return 'fine';
      // A claim goes to the address that a signup named, an invitation to the address that an owner named.
      return kind === 'claim' || kind === 'invitation' || (await isOwnerAddress(store.read, email)) ? 'fine' : 'ended';
    },
    onOwnAddress: ({ kind, ownerEmail }) => logOwnAddress(kind, ownerEmail),
    onRefused: ({ kind, ownerEmail }, reason) =>
      log.warn({ notice: kind, owner: ownerEmail, reason }, 'an owner could not be told'),
    onError,
  });
  return { ...notices, logOwnAddress };
};

/** Writes a notice of what needs a workspace's owners, to each of them who wants such mail. */
export const createTellOwners =
  (write: Notices['write'], { base_domain: baseDomain }: Config) =>
  async (tx: Tx, workspaceId: WorkspaceId, notice: NoticeSubject): Promise<void> => {
    const workspace = await findWorkspaceById(tx.db, workspaceId);
    if (!workspace) return;
    for (const ownerEmail of await listNoticeAddresses(tx.db, workspace, 'mailsNeeds', baseDomain)) {
      await write(tx, { ...notice, ownerEmail });
    }
  };

/** As updateReputation wants it. */
export const createTellPaused =
  (tellOwners: ReturnType<typeof createTellOwners>): ReputationNeeds['notifyPaused'] =>
  (tx, workspaceId, reason, share) =>
    tellOwners(tx, workspaceId, { kind: 'sending-paused', data: { workspaceId, reason, share } });

export type NoticesPart = ReturnType<typeof createNoticesPart>;

interface NoticeSenderNeeds {
  send: SendMail;
  workers: WorkerPool;
  agents: Record<NoticeMail['sender'], AgentId>;
  /** The author of notices and claims, so that all links of the service come from one address. */
  from: NamedAddress;
}

/** Mails a notice from an agent of the instance; joins notices/ to outbound/, which are siblings. */
const createNoticeSender =
  ({ send, workers, agents, from }: NoticeSenderNeeds): SendNotice =>
  async ({ sender, to, subject, body, attachedMime }, inTransaction) => {
    const attached = attachedMime && Buffer.from(await workers.run({ kind: 'raw', mime: attachedMime }));
    const attachments = attached ? [{ filename: 'mail.eml', contentType: 'message/rfc822', content: attached }] : [];
    const content = { kind: 'compose' as const, subject, body, attachments, trackOpens: false, automatic: true };
    const own = sender === 'role-mail' ? content : { ...content, from };
    await send({ agentId: agents[sender], via: 'daemon', to: [to], cc: [], content: own, parent: null, inTransaction });
  };

/** Delivers notices; without a vault key they stay in the store, since they cannot be signed. */
export const createNoticeDelivery = (
  { base_domain: baseDomain }: Config,
  log: Log,
  notices: NoticesPart,
  { systemAgents, store }: Storage,
  { workers, events }: Processing,
  send: NoticeSenderNeeds['send'],
) => {
  let unsubscribe = () => {};

  /** A bounce is filed in a mailbox that no person reads. */
  const logBounces = async (agentIds: readonly AgentId[]): Promise<void> => {
    const agents = await Promise.all(agentIds.map((id) => findAgentById(store.read, id)));
    const mailboxes = new Set(agents.map((agent) => agent?.mailboxId ?? null));
    unsubscribe = events.subscribe(({ name, mailboxId, data }) => {
      if (name !== 'message.bounced' || mailboxId === null || !mailboxes.has(mailboxId)) return;
      const { to, subject, bounce_type } = data;
      log.warn({ owner: to, subject, bounce_type }, 'mail to an owner bounced');
    });
  };

  return {
    start: async () => {
      if (!systemAgents) return;
      const agents = { notices: systemAgents.notices, 'role-mail': systemAgents.roleMail, claims: systemAgents.claims };
      await logBounces(Object.values(agents));
      const from = { name: NOTICES.workspaceName, address: systemAddress(NOTICES, baseDomain) };
      notices.start(createNoticeSender({ send, workers, agents, from }));
    },
    wake: () => void notices.drain(),
    stop: async () => {
      unsubscribe();
      await notices.stop();
    },
    jobs: [{ name: 'mail notices', pattern: EVERY_MINUTE, run: notices.drain }],
  } satisfies Part;
};

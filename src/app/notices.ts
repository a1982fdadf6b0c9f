/** Mail from the instance to owners, through the send gate. */

import type { Config } from '../config/config.ts';
import type { AgentId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { createNotices } from '../notices/notices.ts';
import { NOTICES, systemAddress } from '../resources/workspaces/system-senders.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import { EVERY_MINUTE } from './jobs.ts';
import { createNoticeSender, type NoticeSenderNeeds } from './notice-sender.ts';
import type { Part } from './part.ts';
import type { Processing } from './processing.ts';
import type { Storage } from './storage.ts';

export const createNoticesPart = (log: Log, { store, newId, runtime }: Storage, { onError }: Processing) =>
  createNotices({
    store,
    clock: runtime.clock,
    newId,
    onRefused: ({ kind, ownerEmail }, reason) =>
      log.warn({ notice: kind, owner: ownerEmail, reason }, 'an owner could not be told'),
    onError,
  });

export type NoticesPart = ReturnType<typeof createNoticesPart>;

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
    stop: async () => {
      unsubscribe();
      await notices.stop();
    },
    jobs: [{ name: 'mail notices', pattern: EVERY_MINUTE, run: notices.drain }],
  } satisfies Part;
};

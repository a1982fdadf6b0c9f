/** Mail from the instance to owners, through the send gate. */

import type { Log } from '../kernel/log.ts';
import { createNotices } from '../notices/notices.ts';
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
  notices: NoticesPart,
  { systemAgents }: Storage,
  { workers }: Processing,
  send: NoticeSenderNeeds['send'],
) =>
  ({
    start: () => {
      if (!systemAgents) return;
      const agents = { notices: systemAgents.notices, 'role-mail': systemAgents.roleMail, claims: systemAgents.claims };
      notices.start(createNoticeSender({ send, workers, agents }));
    },
    stop: notices.stop,
    jobs: [{ name: 'mail notices', pattern: EVERY_MINUTE, run: notices.drain }],
  }) satisfies Part;

/**
 * Mail of the instance to owners. A notice is written in the transaction that causes it and mailed after the commit, so
 * that none is lost where the process ends in between; the mail and the end of the notice are one transaction too.
 */

import { type Clock, DAY, MINUTE, type Millis } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import {
  deferNotice,
  deleteNotice,
  insertNotice,
  listDueNotices,
  type Notice,
  type NoticeSubject,
} from '../store/events/notices.ts';
import type { Store, Tx } from '../store/store.ts';
import { composeNotice, type NoticeMail } from './compose-notice.ts';

export type { NoticeMail } from './compose-notice.ts';

/** At a time; the next round takes the rest. */
const MAX_AT_ONCE = 50;
const TRY_AGAIN_MS = 5 * MINUTE;
/** What could not be mailed for so long is given up: what it tells of is over. */
const GIVE_UP_AFTER_MS = 7 * DAY;

/** How the send gate took a notice. */
export type NoticeOutcome =
  | { kind: 'sent' }
  | { kind: 'held' }
  | { kind: 'rejected'; reason: string; retryAt?: Millis };

/** `alongside` runs in the transaction that settles the send; an error takes the send back. */
export type SendNotice = (
  mail: NoticeMail,
  alongside: (tx: Tx, outcome: NoticeOutcome) => Promise<void>,
) => Promise<unknown>;

export interface NoticeNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** A notice was refused for good, or given up: its owner does not hear of it. */
  onRefused: (notice: Notice, reason: string) => void;
  onError: (error: unknown) => void;
}

export type NewNotice = NoticeSubject & {
  ownerEmail: string;
  /** Left out: at once. */
  dueAt?: Millis;
};

export interface Notices {
  write(tx: Tx, notice: NewNotice): Promise<void>;
  /** Hands in the gate; until then notices wait in the store. */
  start(send: SendNotice): void;
  /** Mails what is due; resolves once all of it has been tried. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Thrown inside the sending transaction where the notice has been sent before: the mail is taken back. */
class SentAlready extends Error {}

export const createNotices = (needs: NoticeNeeds): Notices => {
  const { store, clock, newId, onRefused, onError } = needs;
  let gate: SendNotice | null = null;
  let running: Promise<void> | null = null;
  let isAskedAgain = false;
  let isStopped = false;

  const giveUp = async (notice: Notice, reason: string): Promise<void> => {
    await store.write((tx) => deleteNotice(tx, notice.id));
    onRefused(notice, reason);
  };

  const mail = async (send: SendNotice, notice: Notice): Promise<void> => {
    const composed = await composeNotice(store.read, notice);
    // What it was about is decided or gone.
    if (composed === null) return void (await store.write((tx) => deleteNotice(tx, notice.id)));
    await send(composed, async (tx, outcome) => {
      if (outcome.kind === 'rejected' && outcome.retryAt !== undefined) {
        await deferNotice(tx, notice.id, outcome.retryAt);
        return;
      }
      if (!(await deleteNotice(tx, notice.id))) throw new SentAlready();
      if (outcome.kind === 'rejected') tx.afterCommit(() => onRefused(notice, outcome.reason));
    });
  };

  const tryToMail = async (send: SendNotice, notice: Notice): Promise<void> => {
    if (clock.now() - notice.createdAt > GIVE_UP_AFTER_MS) return giveUp(notice, 'given up after a week');
    try {
      await mail(send, notice);
    } catch (error) {
      if (error instanceof SentAlready) return;
      onError(error);
      await store.write((tx) => deferNotice(tx, notice.id, clock.now() + TRY_AGAIN_MS));
    }
  };

  const drainAll = async (send: SendNotice): Promise<void> => {
    do {
      isAskedAgain = false;
      for (;;) {
        const due = await listDueNotices(store.read, clock.now(), MAX_AT_ONCE);
        for (const notice of due) if (!isStopped) await tryToMail(send, notice);
        if (due.length < MAX_AT_ONCE || isStopped) break;
      }
    } while (isAskedAgain && !isStopped);
  };

  const drain = (): Promise<void> => {
    if (gate === null || isStopped) return Promise.resolve();
    isAskedAgain = true;
    running ??= drainAll(gate).finally(() => {
      running = null;
    });
    return running;
  };

  return {
    write: async (tx, { ownerEmail, dueAt, ...subject }) => {
      const now = clock.now();
      await insertNotice(tx, { ...subject, id: newId<'notice'>(), ownerEmail, dueAt: dueAt ?? now, createdAt: now });
      tx.afterCommit(() => void drain().catch(onError));
    },
    start: (send) => {
      gate = send;
    },
    drain,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
};

/**
 * Mail of the instance to owners. A notice is inserted in the transaction of its cause and mailed after the commit;
 * mailing and deleting it are one transaction. After a crash in between, it is due at the next start.
 */

import { type Clock, DAY, MINUTE, type Millis } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { createStoppableWork } from '../kernel/wake-loop.ts';
import { deferNotice, deleteNotice, insertNotice, listDueNotices, type StoredNotice } from '../store/events/notices.ts';
import type { Store, Tx } from '../store/store.ts';
import { composeNotice, type NoticeMail, type NoticeSubject } from './notice-kinds.ts';

export type { NoticeMail } from './notice-kinds.ts';

/** Notices read at once; the loop reads on while more are due. */
const BATCH = 50;
const RETRY_AFTER_MS = 5 * MINUTE;
/** The lifetime of a held mail. */
const GIVE_UP_AFTER_MS = 7 * DAY;

/** The send gate's outcome for a notice. */
export type NoticeOutcome =
  | { kind: 'sent' }
  | { kind: 'held' }
  | { kind: 'rejected'; reason: string; retryAt?: Millis };

/** `inTransaction` runs in the transaction that decides the send; an error in it rolls the send back. */
export type SendNotice = (
  mail: NoticeMail,
  inTransaction: (tx: Tx, outcome: NoticeOutcome) => Promise<void>,
) => Promise<unknown>;

export interface NoticeNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** Whether its owner may be mailed. `ended`: the address is no owner's any more. */
  checkOwner: (notice: StoredNotice) => Promise<'fine' | 'own-address' | 'ended'>;
  /** Called for an address at which this instance receives, instead of mailing. */
  onOwnAddress: (notice: StoredNotice) => void;
  /** Called for a finally refused or expired notice: its owner is not notified. */
  onRefused: (notice: StoredNotice, reason: string) => void;
  onError: (error: unknown) => void;
}

export type NewNotice = NoticeSubject & {
  ownerEmail: string;
  /** Left out: at once. */
  dueAt?: Millis;
};

export interface Notices {
  write(tx: Tx, notice: NewNotice): Promise<void>;
  /** Hands in the gate; until then notices stay due. */
  start(send: SendNotice): void;
  /** Mails all due notices; resolves once each has been tried. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** When the link in it ends. A notice without one has no end. */
const endOf = ({ data }: StoredNotice): Millis => {
  const { until } = data as { until?: unknown };
  return typeof until === 'number' ? until : Number.POSITIVE_INFINITY;
};

/** Thrown inside the sending transaction where the notice is gone: rolls its mail back. */
class SentAlready extends Error {}

export const createNotices = (needs: NoticeNeeds): Notices => {
  const { store, clock, newId, checkOwner, onOwnAddress, onRefused, onError } = needs;
  let gate: SendNotice | null = null;

  const mail = async (send: SendNotice, notice: StoredNotice): Promise<void> => {
    const checked = await checkOwner(notice);
    const composed = checked === 'fine' ? await composeNotice(store.read, notice) : null;
    if (checked === 'own-address') onOwnAddress(notice);
    if (composed === null) return void (await store.write((tx) => deleteNotice(tx, notice.id)));
    await send(composed, async (tx, outcome) => {
      if (outcome.kind === 'rejected' && outcome.retryAt !== undefined && outcome.retryAt < endOf(notice)) {
        await deferNotice(tx, notice.id, outcome.retryAt);
        return;
      }
      if (!(await deleteNotice(tx, notice.id))) throw new SentAlready();
      if (outcome.kind === 'rejected') tx.afterCommit(() => onRefused(notice, outcome.reason));
    });
  };

  const tryToMail = async (send: SendNotice, notice: StoredNotice): Promise<void> => {
    if (clock.now() - notice.createdAt > GIVE_UP_AFTER_MS) {
      await store.write((tx) => deleteNotice(tx, notice.id));
      return onRefused(notice, 'given up after a week');
    }
    try {
      await mail(send, notice);
    } catch (error) {
      if (error instanceof SentAlready) return;
      onError(error);
      await store.write((tx) => deferNotice(tx, notice.id, clock.now() + RETRY_AFTER_MS));
    }
  };

  const mailDue = async (): Promise<null> => {
    if (gate === null) return null;
    for (;;) {
      const due = await listDueNotices(store.read, clock.now(), BATCH);
      for (const notice of due) if (!work.stopping.aborted) await tryToMail(gate, notice);
      if (due.length < BATCH || work.stopping.aborted) return null;
    }
  };
  const work = createStoppableWork(mailDue, (error) => {
    onError(error);
    return null;
  });

  return {
    write: async (tx, { kind, data, ownerEmail, dueAt }) => {
      const now = clock.now();
      await insertNotice(tx, { id: newId<'notice'>(), kind, data, ownerEmail, dueAt: dueAt ?? now, createdAt: now });
      tx.afterCommit(work.wake);
    },
    start: (send) => {
      gate = send;
      work.start();
    },
    drain: work.run,
    stop: work.stop,
  };
};

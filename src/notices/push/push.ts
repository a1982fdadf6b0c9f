/**
 * Tells browsers of signed-in persons by push. A message is a row, written with its cause in one transaction and sent after
 * the commit; a process that ends in between leaves it due at the next start. One that was sent twice has the same tag.
 */

import { MINUTE, type Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { type BackgroundWork, createStoppableWork } from '../../kernel/wake-loop.ts';
import type { PushData } from '../../store/owners/owners-mappings.ts';
import {
  findNextPushDue,
  findPushMessage,
  listDuePushMessages,
  mayTell,
  type PushMessage,
  putPushMessage,
  recordPushAttempt,
} from '../../store/owners/push-messages.ts';
import { findPushSubscription, listSubscribed, type PushSubscription } from '../../store/owners/push-subscriptions.ts';
import type { Store, Tx } from '../../store/store.ts';
import { endSubscription } from './end-subscription.ts';
import { type PostPushNeeds, type PushOutcome, postPush } from './post-push.ts';
import { composePush, type PushText } from './push-texts.ts';

/** Messages that are under way at once. */
const BATCH = 20;
/** Between two messages of one tag to one browser: an agent writes its mail faster than a person reads of it. */
const GAP_MS = MINUTE;
/** The longest sleep while a message waits: the clock may have been set. */
const POLL_MS = MINUTE;
const AFTER_ERROR_MS = 5 * MINUTE;

export interface PushNeeds extends Omit<PostPushNeeds, 'key'> {
  store: Store;
  /** Null without the vault's key: messages stay due. */
  key: PostPushNeeds['key'] | null;
  /** When a failed attempt is made again; null: not any more. `attempts` counts it. */
  nextAttempt: (attempts: number, failed: Extract<PushOutcome, { kind: 'failed' }>) => Millis | null;
  /** Called where a message is given up. */
  onGivenUp: (endpoint: string, reason: string) => void;
  onError: (error: unknown) => void;
}

/** What a browser is told of a workspace, under a tag. */
export interface Told {
  workspaceId: WorkspaceId;
  tag: string;
  data: PushData;
}

export interface Push extends BackgroundWork {
  /** Null without the vault's key. */
  publicKey: string | null;
  /** Tells the browsers that are told of held mail; which mail waits is read when it is sent. */
  tellHeld(tx: Tx, workspaceId: WorkspaceId): Promise<void>;
  /** Tells the browsers that are told what needs their person. */
  tellNeed(tx: Tx, told: Told): Promise<void>;
  /** One message at once, outside the queue. A subscription that has ended is removed. */
  test(subscription: PushSubscription, text: PushText): Promise<PushOutcome>;
  /** Sends what is due; resolves once each has been tried. */
  drain(): Promise<void>;
}

export const createPush = (needs: PushNeeds): Push => {
  const { store, clock, key, nextAttempt, onGivenUp, onError } = needs;

  const put = async (tx: Tx, { sessionHash }: PushSubscription, told: Told): Promise<void> => {
    const now = clock.now();
    const before = await findPushMessage(tx.db, sessionHash, told.tag);
    const sentAt = before?.sentAt ?? null;
    const dueAt = Math.max(now, (sentAt ?? Number.NEGATIVE_INFINITY) + GAP_MS);
    const changedAt = Math.max(now, (before?.changedAt ?? 0) + 1);
    await putPushMessage(tx, { sessionHash, ...told, changedAt, dueAt, attempts: 0, sentAt });
  };

  const tell = async (tx: Tx, kind: 'tells_held' | 'tells_needs', told: Told): Promise<void> => {
    const subscribed = await listSubscribed(tx.db, told.workspaceId, kind, clock.now());
    for (const subscription of subscribed) await put(tx, subscription, told);
    if (subscribed.length > 0) tx.afterCommit(work.wake);
  };

  const remove = (gone: PushSubscription): Promise<void> => store.write((tx) => endSubscription(tx, gone, clock.now()));

  /** Null where it no longer applies: decided, switched off, or out of the person's reach. */
  const compose = async (message: PushMessage, subscription: PushSubscription): Promise<PushText | null> => {
    const isWanted = message.data.kind === 'held' ? subscription.tellsHeld : subscription.tellsNeeds;
    return isWanted && (await mayTell(store.read, message, clock.now())) ? composePush(store.read, message) : null;
  };

  const send = async (posting: PostPushNeeds, message: PushMessage): Promise<void> => {
    const subscription = await findPushSubscription(store.read, message.sessionHash);
    if (!subscription) return;
    const record = (outcome: Parameters<typeof recordPushAttempt>[2]) =>
      store.write((tx) => recordPushAttempt(tx, message, outcome));
    const { attempts, sentAt } = message;
    const text = await compose(message, subscription);
    if (text === null) return record({ attempts, sentAt, dueAt: null });
    const outcome = await postPush(posting, subscription, text, work.stopping);
    if (outcome.kind === 'gone') return remove(subscription);
    if (outcome.kind === 'sent') return record({ attempts: 0, sentAt: clock.now(), dueAt: null });
    const dueAt = outcome.isFinal ? null : nextAttempt(attempts + 1, outcome);
    await record({ attempts: attempts + 1, sentAt, dueAt });
    if (dueAt === null) onGivenUp(subscription.endpoint, outcome.reason);
  };

  const trySend = async (posting: PostPushNeeds, message: PushMessage): Promise<void> => {
    try {
      await send(posting, message);
    } catch (error) {
      if (work.stopping.aborted) return;
      onError(error);
      const { attempts, sentAt } = message;
      const dueAt = clock.now() + AFTER_ERROR_MS;
      await store.write((tx) => recordPushAttempt(tx, message, { attempts, sentAt, dueAt }));
    }
  };

  const work = createStoppableWork(
    async () => {
      if (key === null) return null;
      for (;;) {
        const due = await listDuePushMessages(store.read, clock.now(), BATCH);
        if (due.length === 0 || work.stopping.aborted) break;
        await Promise.all(due.map((message) => trySend({ ...needs, key }, message)));
      }
      const next = await findNextPushDue(store.read);
      return next === null ? null : Math.max(0, Math.min(next - clock.now(), POLL_MS));
    },
    (error) => {
      onError(error);
      return AFTER_ERROR_MS;
    },
  );

  return {
    publicKey: key?.publicKey ?? null,
    tellHeld: (tx, workspaceId) =>
      tell(tx, 'tells_held', { workspaceId, tag: `held ${workspaceId}`, data: { kind: 'held' } }),
    tellNeed: (tx, told) => tell(tx, 'tells_needs', told),
    test: async (subscription, text) => {
      if (key === null) throw new Error('There is no push key.');
      const outcome = await postPush({ ...needs, key }, subscription, text);
      if (outcome.kind === 'gone') await remove(subscription);
      return outcome;
    },
    start: work.start,
    wake: work.wake,
    drain: work.run,
    stop: work.stop,
  };
};

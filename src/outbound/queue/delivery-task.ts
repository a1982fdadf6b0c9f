/** What is done about one delivery in hand: where it goes, the attempt, and the writing down of how that ended. */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import { isOwnDomain } from '../../store/accounts/recipient-lookup.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { findRawSize } from '../../store/mail/raw-messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { recordAttempt } from '../../store/sending/delivery-queue.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { ActiveQueue, QueuedDelivery } from './active-queue.ts';
import { type AttemptNeeds, attempt, mailOf } from './attempt.ts';
import { type AttemptOutcome, MESSAGE_GONE, outcomeWithoutSession } from './attempt-outcome.ts';
import { createDefer } from './defer.ts';
import { deliverLocally, type LocalDeliveryNeeds } from './deliver-locally.ts';
import { findRoute, type RouteNeeds } from './find-route.ts';
import { type OutcomeNeeds, settle } from './record-outcome.ts';
import { type SigningNeeds, signMessage } from './signed-bytes.ts';

/** The line of what stays in this box; no host has such a name. */
const HERE = '(here)';
/** A host that is left alone for longer has its deliveries go back to the store. */
export const WAITED_FOR_MS: Millis = 10 * SECOND;
/** An outcome that could not be written is written again. */
const WRITE_AGAIN_MS = 5 * SECOND;

export interface DeliveryTaskNeeds
  extends OutcomeNeeds,
    AttemptNeeds,
    RouteNeeds,
    Omit<SigningNeeds, 'read'>,
    Omit<LocalDeliveryNeeds, 'read' | 'workers' | 'clock'> {
  store: Store;
  active: ActiveQueue;
  /** From 0 to 1. */
  randomFraction: () => number;
  onError: (error: unknown) => void;
  /** Aborted once the daemon gives up waiting. */
  stopping: AbortSignal;
  /** Rejects once that is so. */
  pause: (ms: Millis) => Promise<void>;
}

/** `waits`: it has a place in a line. `done`: it is in hand no more. */
export type TaskState = 'waits' | 'done';

export interface DeliveryTask {
  /** Finds out where a delivery goes, and has it wait there. */
  place(delivery: Delivery): Promise<TaskState>;
  /** Makes the attempt that was waited for. */
  ask(host: string, waiting: QueuedDelivery): Promise<TaskState>;
  /** Has a delivery wait elsewhere, where its host is left alone. */
  moveOn(waiting: QueuedDelivery): Promise<TaskState>;
}

export const createDeliveryTask = (needs: DeliveryTaskNeeds): DeliveryTask => {
  const { store, clock, limits, active, onError } = needs;
  const local = { ...needs, read: store.read };
  const defer = createDefer(needs);

  const settleWith = (tx: Tx, delivery: Delivery, how: AttemptOutcome) =>
    settle(tx, needs, delivery, how, clock.now(), needs.randomFraction());

  /** Not given up: what is not written down would be sent again. */
  const end = async (delivery: Delivery, how: AttemptOutcome): Promise<'done'> => {
    for (;;) {
      try {
        await store.write((tx) => settleWith(tx, delivery, how));
        return 'done';
      } catch (error) {
        onError(error);
        await needs.pause(WRITE_AGAIN_MS);
      }
    }
  };

  /** A fault of ours is no reason to give a mail up. */
  const orRetry = async (delivery: Delivery, work: () => Promise<TaskState>): Promise<TaskState> => {
    try {
      return await work();
    } catch (error) {
      // The row stays as it is: what could not be written may be that the mail is delivered.
      if (needs.stopping.aborted) throw error;
      onError(error);
      return end(delivery, outcomeWithoutSession('retry', 'An internal error; see the log'));
    }
  };

  const begin = (delivery: Delivery): Promise<boolean> =>
    store.write((tx) => recordAttempt(tx, delivery.id, clock.now()));

  /** An attempt that ends before any host is asked. */
  const endAtOnce = async (delivery: Delivery, how: AttemptOutcome): Promise<'done'> =>
    (await begin(delivery)) ? end(delivery, how) : 'done';

  const moveOn = async (waiting: QueuedDelivery): Promise<TaskState> => {
    const { delivery, route } = waiting;
    if (delivery.insisted) for (const { name } of route) limits.resetBackOff(name);
    const soon = clock.now() + WAITED_FOR_MS;
    const hop = route.findIndex(({ name }, index) => index >= waiting.hop && limits.pausedUntil(name) <= soon);
    const host = route[hop];
    if (host) {
      active.add(host.name, { ...waiting, hop });
      return 'waits';
    }
    if (waiting.lastOutcome) return end(delivery, waiting.lastOutcome);
    const soonest = route.reduce((a, b) => (limits.pausedUntil(b.name) < limits.pausedUntil(a.name) ? b : a));
    await defer(delivery, soonest.name);
    return 'done';
  };

  const place = async (delivery: Delivery): Promise<TaskState> => {
    const { domain, mailboxId } = delivery;
    const message = await findMessage(store.read, mailboxId, delivery.messageId);
    if (!message) return endAtOnce(delivery, MESSAGE_GONE);
    const isHere = await isOwnDomain(store.read, domain);
    const route = isHere ? [] : await findRoute(needs, { domain, sender: message.from.address });
    if ('verdict' in route) return endAtOnce(delivery, route);
    const size = await findRawSize(store.read, message.rawId);
    const turn = active.takeTurn(mailboxId);
    const waiting: QueuedDelivery = { delivery, message, size, route, hop: 0, turn, begun: false, lastOutcome: null };
    if (!isHere) return moveOn(waiting);
    active.add(HERE, waiting);
    return 'waits';
  };

  const askHere = async (delivery: Delivery): Promise<'done'> => {
    if (!(await begin(delivery))) return 'done';
    const how = await deliverLocally(local, delivery, (tx, settled) => settleWith(tx, delivery, settled));
    return how ? end(delivery, how) : 'done';
  };

  const askHost = async (waiting: QueuedDelivery): Promise<TaskState> => {
    const { delivery, message, route, hop, begun } = waiting;
    const target = route[hop];
    if (!target) throw new Error('A hop that the route does not have.');
    // The attempt is on record before anything of the mail is said.
    const [isStill, signed] = await Promise.all([begun || begin(delivery), signMessage(local, message)]);
    // A person took it out of the queue.
    if (!isStill) return 'done';
    if (signed instanceof Error) return end(delivery, outcomeWithoutSession('retry', signed.message));
    const mail = mailOf(needs, delivery, message, signed);
    const tried = await limits.withSession(target.name, async () =>
      limits.isBackedOff(target.name) ? null : attempt(needs, target, mail),
    );
    // It went down, or asked for less, while this one waited.
    if (!tried) return moveOn({ ...waiting, begun: true });
    if (!tried.mayFailOver) return end(delivery, tried.end);
    const next = route[hop + 1];
    if (tried.end.code === null && next?.name !== target.name) limits.note(target.name, 'unreachable');
    return moveOn({ ...waiting, hop: hop + 1, begun: true, lastOutcome: tried.end });
  };

  return {
    place: (delivery) => orRetry(delivery, () => place(delivery)),
    ask: (host, waiting) =>
      orRetry(waiting.delivery, () => (host === HERE ? askHere(waiting.delivery) : askHost(waiting))),
    moveOn: (waiting) => orRetry(waiting.delivery, () => moveOn(waiting)),
  };
};

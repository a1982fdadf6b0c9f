/** Runs one claimed delivery: resolves its route, makes the attempt, records the outcome. */

import { type DomainName, domainOf } from '../../kernel/address.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { findReturnPathDomain, isDeliveredHere } from '../../store/accounts/recipient-lookup.ts';
import { findOutgoingMessage } from '../../store/mail/message-summaries.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { recordAttempt } from '../../store/sending/delivery-queue.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { ActiveQueue, QueuedDelivery } from './active-queue.ts';
import { type AttemptNeeds, attempt, toTransaction } from './attempt.ts';
import {
  type AttemptOutcome,
  MESSAGE_GONE,
  NOT_AS_APPROVED,
  outcomeWithoutSession,
  ownFault,
} from './attempt-outcome.ts';
import type { Defer } from './defer.ts';
import { deliverLocally, type LocalDeliveryNeeds } from './deliver-locally.ts';
import { type Destination, findRoute, type Route, type RouteNeeds } from './find-route.ts';
import { laneOf } from './lanes.ts';
import type { PassOn } from './pass-on.ts';
import { GIVE_UP_AFTER_MS, type OutcomeNeeds, recordOutcome } from './record-outcome.ts';
import { type SigningNeeds, signMessage } from './signed-bytes.ts';
import { isProvider } from './smarthost.ts';

/** The queue of local deliveries; no host has such a name. */
const LOCAL = '(local)';
/** Deliveries to a destination that is backed off for longer are deferred in the store. */
export const LONGEST_WAIT_MS: Millis = 10 * SECOND;
/** Pause before an outcome that could not be written is written again. */
const REWRITE_AFTER_MS = 5 * SECOND;

export interface DeliveryTaskNeeds
  extends OutcomeNeeds,
    AttemptNeeds,
    RouteNeeds,
    Omit<SigningNeeds, 'read'>,
    Omit<LocalDeliveryNeeds, 'read' | 'workers' | 'clock'> {
  /** Where bounces of a domain that sends alone come to. */
  baseDomain: DomainName;
  store: Store;
  active: ActiveQueue;
  defer: Defer;
  passOn: PassOn['passOn'];
  /** From 0 to 1. */
  randomFraction: () => number;
  onError: (error: unknown) => void;
  /** Aborted when the grace of a shutdown is over. */
  stopping: AbortSignal;
  /** Rejects when `stopping` is aborted. */
  pause: (ms: Millis) => Promise<void>;
}

/** `queued`: it waits in the active queue. `released`: its claim has ended. */
export type TaskState = 'queued' | 'released';

export interface DeliveryTask {
  /** Resolves the route of a claimed delivery and queues it for the first destination. */
  route(delivery: Delivery): Promise<TaskState>;
  /** Makes the attempt at the destination that it was queued for. */
  attempt(host: string, queued: QueuedDelivery): Promise<TaskState>;
  /** Queues a delivery for the next destination that is not backed off, or defers it. */
  failOver(queued: QueuedDelivery): Promise<TaskState>;
}

/** Hosts of equal preference come in any order. A delivery that was passed on is tried first at the host of its lane. */
const byLane = (route: Route, lane: number | null): Route =>
  lane === null ? route : route.toSorted((one, other) => Number(isIn(other, lane)) - Number(isIn(one, lane)));

const isIn = ({ name }: Destination, lane: number): boolean => laneOf(name) === lane;

export const createDeliveryTask = (needs: DeliveryTaskNeeds): DeliveryTask => {
  const { store, clock, limits, active, defer, onError } = needs;
  const local = { ...needs, read: store.read };

  const recordIn = (tx: Tx, delivery: Delivery, outcome: AttemptOutcome) =>
    recordOutcome(tx, needs, delivery, outcome, clock.now(), needs.randomFraction());

  /** Retries until it is written: a delivery without its outcome would be sent a second time. */
  const end = async (delivery: Delivery, outcome: AttemptOutcome): Promise<'released'> => {
    for (;;) {
      try {
        await store.write((tx) => recordIn(tx, delivery, outcome));
        return 'released';
      } catch (error) {
        onError(error);
        await needs.pause(REWRITE_AFTER_MS);
      }
    }
  };

  /** A fault of this instance defers the delivery; it bounces none. */
  const orRetry = async (delivery: Delivery, work: () => Promise<TaskState>): Promise<TaskState> => {
    try {
      return await work();
    } catch (error) {
      // The row stays as it is: the outcome that could not be written may have been a delivery.
      if (needs.stopping.aborted) throw error;
      onError(error);
      return end(delivery, ownFault('An internal error; see the log'));
    }
  };

  const record = (delivery: Delivery): Promise<boolean> =>
    store.write((tx) => recordAttempt(tx, delivery.id, store.runId, clock.now()));

  /** An attempt that ends before any host is contacted. */
  const endUnsent = async (delivery: Delivery, outcome: AttemptOutcome, isRecorded = false): Promise<'released'> =>
    isRecorded || (await record(delivery)) ? end(delivery, outcome) : 'released';

  const failOver = async (queued: QueuedDelivery): Promise<TaskState> => {
    const { delivery, route } = queued;
    if (delivery.insisted) for (const { name } of route) limits.resetBackOff(name);
    const soon = clock.now() + LONGEST_WAIT_MS;
    const at = route.findIndex(({ name }, index) => index >= queued.at && limits.backedOffUntil(name) <= soon);
    const destination = route[at];
    if (destination) {
      active.add(destination.name, { ...queued, at });
      return 'queued';
    }
    if (queued.lastOutcome) return end(delivery, queued.lastOutcome);
    const soonest = route.reduce((a, b) => (limits.backedOffUntil(b.name) < limits.backedOffUntil(a.name) ? b : a));
    // A host that is down is tried too seldom to end each of its mails by an attempt.
    if (clock.now() - delivery.createdAt >= GIVE_UP_AFTER_MS) {
      const unanswered = soonest.isSmarthost ? ownFault : (said: string) => outcomeWithoutSession('retry', said);
      const outcome = unanswered(delivery.response ?? `${soonest.name} has not answered`);
      return endUnsent(delivery, outcome, queued.isRecorded);
    }
    await defer(delivery, soonest.name);
    return 'released';
  };

  const route = async (delivery: Delivery): Promise<TaskState> => {
    const { domain, mailboxId } = delivery;
    const [message, isHere] = await Promise.all([
      findOutgoingMessage(store.read, mailboxId, delivery.messageId),
      isDeliveredHere(store.read, delivery.address),
    ]);
    if (!message) return endUnsent(delivery, MESSAGE_GONE);
    const queue = (found: Route): QueuedDelivery => ({
      delivery,
      message,
      route: found,
      at: 0,
      virtualTime: active.nextVirtualTime(mailboxId),
      isRecorded: false,
      lastOutcome: null,
    });
    if (isHere) {
      active.add(LOCAL, queue([]));
      return 'queued';
    }
    const found = await findRoute(needs, { domain, sender: message.from.address });
    if (found.kind === 'none') return endUnsent(delivery, found.outcome);
    const inOrder = byLane(found.route, delivery.lane);
    return (await needs.passOn(delivery, inOrder)) ? 'released' : failOver(queue(inOrder));
  };

  const attemptLocal = async (delivery: Delivery): Promise<'released'> => {
    if (!(await record(delivery))) return 'released';
    const outcome = await deliverLocally(local, delivery, (tx, recorded) => recordIn(tx, delivery, recorded));
    return outcome ? end(delivery, outcome) : 'released';
  };

  const attemptRemote = async (queued: QueuedDelivery): Promise<TaskState> => {
    const { delivery, message, route: destinations, at, isRecorded } = queued;
    const destination = destinations[at];
    if (!destination) throw new Error('A destination that the route does not have.');
    // The attempt is on record before any command of the mail is sent.
    const [isWanted, signing, returnPathDomain] = await Promise.all([
      isRecorded || record(delivery),
      signMessage(local, message, isProvider(destination.tls.level)),
      findReturnPathDomain(store.read, domainOf(message.from.address), needs.baseDomain),
    ]);
    // An operator cancelled it.
    if (!isWanted) return 'released';
    if (signing.kind === 'altered') return end(delivery, NOT_AS_APPROVED);
    if (signing.kind === 'unavailable') return end(delivery, ownFault(signing.reason));
    const mail = toTransaction(needs, delivery, returnPathDomain, signing.bytes);
    const result = await limits.withSession(destination.name, async () =>
      limits.isBackedOff(destination.name) ? null : attempt(needs, destination, mail),
    );
    // The destination was backed off or throttled while this delivery waited for its session.
    if (!result) return failOver({ ...queued, isRecorded: true });
    if (!result.mayFailOver) return end(delivery, result.outcome);
    const next = destinations[at + 1];
    if (result.outcome.code === null && next?.name !== destination.name) limits.record(destination.name, 'unreachable');
    return failOver({ ...queued, at: at + 1, isRecorded: true, lastOutcome: result.outcome });
  };

  return {
    route: (delivery) => orRetry(delivery, () => route(delivery)),
    attempt: (host, queued) =>
      orRetry(queued.delivery, () => (host === LOCAL ? attemptLocal(queued.delivery) : attemptRemote(queued))),
    failOver: (queued) => orRetry(queued.delivery, () => failOver(queued)),
  };
};

/** Runs checks, one for a domain at a time, and records their effects in one transaction. */

import { type FairQueue, QueueRefused } from '../../budget/fair-queue.ts';
import type { Events } from '../../events/publish-events.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { DomainId } from '../../kernel/ids.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { demoteFailingClaims, updateDomain } from '../../store/accounts/domain-claims.ts';
import {
  type Domain,
  findDomainById,
  findDomainsByName,
  type ListedDomain,
  listDkimKeys,
} from '../../store/accounts/domains.ts';
import { endInvitationsAtDomain } from '../../store/owners/invitations.ts';
import { voidLinksAtDomain } from '../../store/owners/sign-in-links.ts';
import type { Store, Tx } from '../../store/store.ts';
import { type CheckNeeds, checkDomain, type DomainCheck } from './check-domain.ts';
import { nextState, type Turn } from './domain-state.ts';

export interface DomainCheckNeeds extends CheckNeeds {
  store: Store;
  /** Fair queue: a workspace with silent name servers delays only its own checks. */
  queue: Pick<FairQueue, 'run'>;
  events: Pick<Events, 'publish'>;
  /** Notifies the owner that a domain turned failing, in the same transaction. */
  notifyFailing: (tx: Tx, domain: Domain) => Promise<void>;
  /** Notifies owners with an address on the domain that this instance now receives its mail. */
  notifyVerified: (tx: Tx, domain: Domain) => Promise<void>;
}

export type RecordedCheck =
  | { kind: 'recorded'; domain: Domain; turn: Turn }
  /** The domain is verified for another workspace; nothing was changed. */
  | { kind: 'taken' }
  /** It was removed meanwhile. */
  | { kind: 'gone' };

export interface DomainChecks {
  /** Concurrent calls for a domain share one check. @throws ApiError overloaded with too many checks under way */
  run(domain: ListedDomain): Promise<DomainCheck>;
  /** @param isAsked whether a person or agent has asked for the check; left out: it is the daily one */
  record(tx: Tx, id: DomainId, check: DomainCheck, isAsked?: boolean): Promise<RecordedCheck>;
}

export const createDomainChecks = (needs: DomainCheckNeeds): DomainChecks => {
  const { store, events, clock, queue, notifyFailing, notifyVerified } = needs;
  const flight = createSingleFlight<DomainCheck>();

  const check = async (domain: ListedDomain): Promise<DomainCheck> => {
    const quotaSubject = domain.workspaceId === null ? {} : { workspace: domain.workspaceId };
    try {
      return await queue.run(quotaSubject, async () =>
        checkDomain(needs, domain, await listDkimKeys(store.read, domain.id)),
      );
    } catch (cause) {
      if (!(cause instanceof QueueRefused)) throw cause;
      const hint = `Too many domains ${cause.limit === 'all' ? '' : 'of this workspace '}are being checked. Try again in a few seconds.`;
      throw new ApiError('overloaded', { hint, headers: { 'retry-after': '10' }, cause });
    }
  };

  const announce = async (tx: Tx, domain: Domain, turn: Turn): Promise<void> => {
    const { id, name, kind, workspaceId } = domain;
    if (kind !== 'custom' || workspaceId === null || turn === null) return;
    if (turn === 'failing') return notifyFailing(tx, domain);
    await demoteFailingClaims(tx, name, id);
    await voidLinksAtDomain(tx, name, clock.now());
    await endInvitationsAtDomain(tx, name, clock.now());
    await notifyVerified(tx, domain);
    const data = { domain_id: id, domain: name };
    await events.publish(tx, { name: 'domain.verified', workspaceId, mailboxId: null, data });
  };

  return {
    run: (domain) => flight.run(domain.id, () => check(domain)),
    record: async (tx, id, result, isAsked = false) => {
      const before = await findDomainById(tx.db, id);
      if (!before) return { kind: 'gone' };
      const { change, turn } = nextState(before, result, clock.now(), isAsked);
      if (turn === 'verified' && (await isVerifiedElsewhere(tx, before))) return { kind: 'taken' };
      await updateDomain(tx, id, change);
      const domain = { ...before, ...change };
      await announce(tx, domain, turn);
      return { kind: 'recorded', domain, turn };
    },
  };
};

const isVerifiedElsewhere = async (tx: Tx, { id, name }: Domain): Promise<boolean> =>
  (await findDomainsByName(tx.db, name)).some((other) => other.id !== id && other.status === 'verified');

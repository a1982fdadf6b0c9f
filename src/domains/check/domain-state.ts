/** Computes the state of a domain after a check. Pure. */

import { DAY, type Millis } from '../../kernel/clock.ts';
import type { DomainChange } from '../../store/accounts/domain-claims.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { DomainCheck } from './check-domain.ts';

/** Long enough for a mistake over a weekend, or an outage of name servers. */
const FAILING_AFTER_MS: Millis = 2 * DAY;

export type Turn = 'verified' | 'failing' | null;

export interface NextState {
  change: DomainChange;
  /** The change of state by this check. */
  turn: Turn;
}

type Before = Pick<Domain, 'kind' | 'status' | 'failingSince' | 'verifiedAt' | 'receives'>;

/**
 * The domain's use after the check. A custom domain with the MX of another server may still send. A receiving domain
 * changes to that only on a person's request, because its MX may be broken by mistake.
 */
const findUse = (
  { kind, status, receives }: Before,
  check: DomainCheck,
  isAsked: boolean,
): 'all' | 'sending' | null => {
  const isPending = status === 'pending';
  if (isPending ? check.isComplete : check.isWorking) return 'all';
  if (kind !== 'custom') return null;
  const isSendOnly = !isPending && !receives;
  const comesToIt = !check.leadsHere && (isPending || isAsked);
  return (isSendOnly || comesToIt) && (isPending ? check.isSendComplete : check.isSendWorking) ? 'sending' : null;
};

/**
 * A pending domain is verified once it is complete. A verified one turns failing after two days of checks, if the
 * first and the last found it broken; a failing one recovers as soon as it works.
 * @param isAsked whether a person or agent has asked for the check
 */
export const nextState = (before: Before, check: DomainCheck, now: Millis, isAsked: boolean): NextState => {
  const { status, failingSince, verifiedAt } = before;
  const seen: DomainChange = { lastCheckedAt: now, checkResult: check.result };
  const use = findUse(before, check, isAsked);
  if (use !== null) {
    const receives = use === 'all';
    const verified = { ...seen, status: 'verified', failingSince: null, receives } as const;
    if (status === 'pending') return { change: { ...verified, verifiedAt: verifiedAt ?? now }, turn: 'verified' };
    // From now on this instance receives owners' mail at the domain, as with the first verification.
    const isNew = status === 'failing' || (receives && !before.receives);
    return { change: verified, turn: isNew ? 'verified' : null };
  }
  if (status !== 'verified' || !check.isConclusive) return { change: seen, turn: null };
  const since = failingSince ?? now;
  if (now - since < FAILING_AFTER_MS) return { change: { ...seen, failingSince: since }, turn: null };
  return { change: { ...seen, status: 'failing', failingSince: since }, turn: 'failing' };
};

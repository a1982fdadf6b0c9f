/** The state that a check brings a domain to. Pure. */

import { DAY, type Millis } from '../../kernel/clock.ts';
import type { DomainChange } from '../../store/accounts/domain-claims.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { DomainCheck } from './check-domain.ts';

/** Bridges a mistake of a weekend and an outage of the domain's name servers. */
const FAILING_AFTER_MS: Millis = 2 * DAY;

export type Turn = 'verified' | 'failing' | null;

export interface NextState {
  change: DomainChange;
  /** The state that it turns to with this check. */
  turn: Turn;
}

type Before = Pick<Domain, 'kind' | 'status' | 'failingSince' | 'verifiedAt' | 'receives'>;

/**
 * What the domain may do after the check. With an MX of another server, a custom domain may send. One that receives so far
 * becomes such a domain only where a person asks: its MX may be broken by mistake.
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
 * A pending domain is verified once it is complete. A verified one that breaks turns failing after two days of checks, the
 * first and the last of which found it broken; a failing one comes back as soon as it works.
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
    // Mail of owners at the domain stays here from now on, as with the first verification.
    const isNew = status === 'failing' || (receives && !before.receives);
    return { change: verified, turn: isNew ? 'verified' : null };
  }
  if (status !== 'verified' || !check.isConclusive) return { change: seen, turn: null };
  const since = failingSince ?? now;
  if (now - since < FAILING_AFTER_MS) return { change: { ...seen, failingSince: since }, turn: null };
  return { change: { ...seen, status: 'failing', failingSince: since }, turn: 'failing' };
};

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

/**
 * A pending domain is verified once it is complete. A verified one that breaks turns failing after two days of checks, the
 * first and the last of which found it broken; a failing one comes back as soon as it works.
 */
export const nextState = (
  { status, failingSince, verifiedAt }: Pick<Domain, 'status' | 'failingSince' | 'verifiedAt'>,
  { result, isComplete, isWorking, isConclusive }: DomainCheck,
  now: Millis,
): NextState => {
  const seen: DomainChange = { lastCheckedAt: now, checkResult: result };
  const verified = { ...seen, status: 'verified', failingSince: null } as const;
  if (status === 'pending') {
    if (!isComplete) return { change: seen, turn: null };
    return { change: { ...verified, verifiedAt: verifiedAt ?? now }, turn: 'verified' };
  }
  if (isWorking) return { change: verified, turn: status === 'failing' ? 'verified' : null };
  if (status === 'failing' || !isConclusive) return { change: seen, turn: null };
  const since = failingSince ?? now;
  if (now - since < FAILING_AFTER_MS) return { change: { ...seen, failingSince: since }, turn: null };
  return { change: { ...seen, status: 'failing', failingSince: since }, turn: 'failing' };
};

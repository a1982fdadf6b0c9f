/** The MTA-STS policy cache: discovery, fetch, storage and refresh of policies. RFC 8461 sections 3 and 5. */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, DAY, isAhead, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { isDnsError, type Resolver } from '../../net/dns/resolver.ts';
import type { TlsFailure } from '../../net/smtp/delivery-request.ts';
import { type FetchNeeds, fetchStsPolicy } from '../../net/tls/mta-sts-fetch.ts';
import { parseStsPolicy, readStsId, type StsPolicy } from '../../net/tls/mta-sts-policy.ts';
import type { Store } from '../../store/store.ts';
import { findStsPolicy, putStsPolicy } from '../../store/tls/mta-sts-policies.ts';

/** A cached policy older than a day is refreshed while it still applies: RFC 8461 section 10.2. */
const REFRESH_MS: Millis = DAY;
/** RFC 8461 section 3.3: no new fetch within 5 minutes of a failed one. */
const REFETCH_AFTER_MS = 5 * MINUTE;
/** Policies cached in memory, and as many failures. */
const MAX_ENTRIES = 5_000;

export type StsFinding =
  | { readonly kind: 'none' }
  /** A policy is announced but cannot be fetched: mail is sent as without one. */
  | { readonly kind: 'unavailable'; readonly failure: TlsFailure }
  | { readonly kind: 'policy'; readonly policy: StsPolicy; readonly text: string };

export interface StsPolicies {
  find(domain: string): Promise<StsFinding>;
  /** Aborts the fetches in progress. */
  stop(): Promise<void>;
}

export interface StsNeeds extends FetchNeeds {
  store: Store;
  clock: Clock;
  resolver: Resolver;
  onError: (error: unknown) => void;
}

interface CachedPolicy {
  readonly id: string;
  readonly policy: StsPolicy;
  readonly text: string;
  readonly fetchedAt: Millis;
  readonly expiresAt: Millis;
}

type Fetched = { kind: 'policy'; fresh: CachedPolicy } | { kind: 'failed'; failure: TlsFailure };

const toFinding = ({ policy, text }: CachedPolicy): StsFinding => ({ kind: 'policy', policy, text });

export const createStsPolicies = ({ store, clock, resolver, onError, ...fetching }: StsNeeds): StsPolicies => {
  const stopping = new AbortController();
  /**
   * By domain; null: none is stored. This process is the only writer, so that the store is read once for each domain.
   */
  const known = new BoundedMap<string, CachedPolicy | null>(MAX_ENTRIES);
  const failures = new BoundedMap<string, { failure: TlsFailure; until: Millis }>(MAX_ENTRIES);
  const flight = createSingleFlight<Fetched>();

  /** The stored policy, if it has not expired. */
  const readValid = async (domain: string): Promise<CachedPolicy | null> => {
    const cached = known.get(domain);
    return unexpired(cached === undefined ? await readStored(domain) : cached);
  };

  const unexpired = (cached: CachedPolicy | null): CachedPolicy | null =>
    cached && cached.expiresAt > clock.now() ? cached : null;

  const readStored = async (domain: string): Promise<CachedPolicy | null> => {
    const row = await findStsPolicy(store.read, domain);
    const parsed = row && parseStsPolicy(row.policy);
    const read =
      row && parsed?.kind === 'policy'
        ? {
            id: row.policyId,
            policy: parsed.policy,
            text: row.policy,
            fetchedAt: row.fetchedAt,
            expiresAt: row.expiresAt,
          }
        : null;
    // A fetch may have ended in the meantime.
    const fresh = known.get(domain);
    if (fresh) return fresh;
    known.set(domain, read);
    return read;
  };

  /** Null where the domain announces none, or DNS fails. */
  const publishedId = async (domain: string): Promise<string | null> => {
    try {
      const records = await resolver.resolve(`_mta-sts.${domain}`, 'TXT');
      return readStsId(records.map((strings) => strings.join('')));
    } catch (error) {
      if (isDnsError(error)) return null;
      throw error;
    }
  };

  const fetchAndStore = async (domain: string, id: string): Promise<Fetched> => {
    const fetched = await fetchStsPolicy(fetching, domain, stopping.signal);
    const now = clock.now();
    if (fetched.kind === 'failed') {
      failures.set(domain, { failure: fetched.failure, until: now + REFETCH_AFTER_MS });
      return fetched;
    }
    const { policy, text } = fetched;
    const fresh = { id, policy, text, fetchedAt: now, expiresAt: now + policy.maxAge * SECOND };
    known.set(domain, fresh);
    const row = { domain, policyId: id, policy: text, fetchedAt: now, expiresAt: fresh.expiresAt };
    // A policy that could not be stored is fetched again after a restart.
    await store.write((tx) => putStsPolicy(tx, row)).catch(onError);
    return { kind: 'policy', fresh };
  };

  const find = async (domain: string): Promise<StsFinding> => {
    const [stored, id] = await Promise.all([readValid(domain), publishedId(domain)]);
    // A fetch for another mail may have ended in the meantime.
    const current = unexpired(known.get(domain) ?? stored);
    // RFC 8461 section 3.3: a cached policy stays valid where DNS has no record of it.
    if (id === null) return current ? toFinding(current) : { kind: 'none' };
    const isLatest = current?.id === id;
    if (current && isLatest && current.fetchedAt + REFRESH_MS > clock.now()) return toFinding(current);
    const failed = failures.get(domain);
    if (failed && isAhead(failed.until, clock.now(), REFETCH_AFTER_MS)) {
      return current ? toFinding(current) : { kind: 'unavailable', failure: failed.failure };
    }
    const fetched = flight.run(domain, () => fetchAndStore(domain, id));
    if (current && isLatest) {
      fetched.catch(onError);
      return toFinding(current);
    }
    const answer = await fetched;
    if (answer.kind === 'policy') return toFinding(answer.fresh);
    return current ? toFinding(current) : { kind: 'unavailable', failure: answer.failure };
  };

  return {
    find,
    stop: async () => {
      stopping.abort(new Error('The daemon ends'));
      await flight.settled();
    },
  };
};

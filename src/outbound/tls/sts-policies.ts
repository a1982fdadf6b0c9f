/** The MTA-STS policies of domains: found, fetched, kept, and refreshed. RFC 8461 sections 3 and 5. */

import { type Clock, DAY, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { isDnsError, type Resolver } from '../../net/dns/resolver.ts';
import type { TlsFailure } from '../../net/smtp/delivery-request.ts';
import { type FetchNeeds, fetchStsPolicy } from '../../net/tls/mta-sts-fetch.ts';
import { parseStsPolicy, readStsId, type StsPolicy } from '../../net/tls/mta-sts-policy.ts';
import type { Store } from '../../store/store.ts';
import { findStsPolicy, putStsPolicy } from '../../store/tls/mta-sts-policies.ts';

/** One that is older is fetched anew while it is still in use, so that it does not end unseen: RFC 8461 section 10.2. */
const REFRESH_MS: Millis = DAY;
/** RFC 8461 section 3.3: a fetch that failed is not repeated for five minutes. */
const FETCH_AGAIN_MS = 5 * MINUTE;
/** Policies that are held in memory, and failures. */
const MAX_REMEMBERED = 5_000;

export type StsFinding =
  | { readonly kind: 'none' }
  /** The domain publishes one that cannot be had: for this mail it is as if there were none. */
  | { readonly kind: 'unavailable'; readonly failure: TlsFailure }
  | { readonly kind: 'policy'; readonly policy: StsPolicy; readonly text: string };

export interface StsPolicies {
  find(domain: string): Promise<StsFinding>;
  /** Ends the fetches under way. */
  stop(): Promise<void>;
}

export interface StsNeeds extends FetchNeeds {
  store: Store;
  clock: Clock;
  resolver: Resolver;
  onError: (error: unknown) => void;
}

interface Known {
  readonly id: string;
  readonly policy: StsPolicy;
  readonly text: string;
  readonly fetchedAt: Millis;
  readonly expiresAt: Millis;
}

/** The last `MAX_REMEMBERED` that were set. */
class Recent<T> extends Map<string, T> {
  override set(key: string, value: T): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > MAX_REMEMBERED ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}

const found = ({ policy, text }: Known): StsFinding => ({ kind: 'policy', policy, text });

export const createStsPolicies = ({ store, clock, resolver, onError, ...fetching }: StsNeeds): StsPolicies => {
  const stopping = new AbortController();
  /** Null: none is kept. Nobody else writes them, so that the store is asked once for each domain. */
  const known = new Recent<Known | null>();
  const failures = new Recent<{ failure: TlsFailure; until: Millis }>();
  const underWay = new Map<string, Promise<Known | TlsFailure>>();

  /** The one that is kept and holds. */
  const recall = async (domain: string): Promise<Known | null> => {
    const remembered = known.get(domain);
    return holding(remembered === undefined ? await readKept(domain) : remembered);
  };

  const holding = (remembered: Known | null): Known | null =>
    remembered && remembered.expiresAt > clock.now() ? remembered : null;

  const readKept = async (domain: string): Promise<Known | null> => {
    const kept = await findStsPolicy(store.read, domain);
    const policy = kept && parseStsPolicy(kept.policy);
    const read =
      kept && policy && !(policy instanceof Error)
        ? { id: kept.policyId, policy, text: kept.policy, fetchedAt: kept.fetchedAt, expiresAt: kept.expiresAt }
        : null;
    // A fetch may have ended meanwhile.
    const fresh = known.get(domain);
    if (fresh) return fresh;
    known.set(domain, read);
    return read;
  };

  /** Null where the domain publishes none, or DNS does not say. */
  const publishedId = async (domain: string): Promise<string | null> => {
    try {
      const records = await resolver.resolve(`_mta-sts.${domain}`, 'TXT');
      return readStsId(records.map((strings) => strings.join('')));
    } catch (error) {
      if (isDnsError(error)) return null;
      throw error;
    }
  };

  const fetchAndKeep = async (domain: string, id: string): Promise<Known | TlsFailure> => {
    const fetched = await fetchStsPolicy(fetching, domain, stopping.signal);
    const now = clock.now();
    if ('type' in fetched) {
      failures.set(domain, { failure: fetched, until: now + FETCH_AGAIN_MS });
      return fetched;
    }
    const { policy, text } = fetched;
    const fresh = { id, policy, text, fetchedAt: now, expiresAt: now + policy.maxAge * SECOND };
    known.set(domain, fresh);
    const kept = { domain, policyId: id, policy: text, fetchedAt: now, expiresAt: fresh.expiresAt };
    // What could not be written down is fetched again after a restart.
    await store.write((tx) => putStsPolicy(tx, kept)).catch(onError);
    return fresh;
  };

  /** Mails that ask for one domain at a time wait for one fetch. */
  const fetchOnce = (domain: string, id: string): Promise<Known | TlsFailure> => {
    const before = underWay.get(domain);
    if (before) return before;
    const begun = fetchAndKeep(domain, id).finally(() => underWay.delete(domain));
    underWay.set(domain, begun);
    return begun;
  };

  const find = async (domain: string): Promise<StsFinding> => {
    const [recalled, id] = await Promise.all([recall(domain), publishedId(domain)]);
    // A fetch for another mail may have ended meanwhile.
    const kept = holding(known.get(domain) ?? recalled);
    // A policy that holds is not undone by DNS that says nothing of it: RFC 8461 section 3.3.
    if (id === null) return kept ? found(kept) : { kind: 'none' };
    const isCurrent = kept?.id === id;
    if (kept && isCurrent && kept.fetchedAt + REFRESH_MS > clock.now()) return found(kept);
    const failed = failures.get(domain);
    if (failed && failed.until > clock.now()) {
      return kept ? found(kept) : { kind: 'unavailable', failure: failed.failure };
    }
    const fetched = fetchOnce(domain, id);
    if (kept && isCurrent) {
      fetched.catch(onError);
      return found(kept);
    }
    const answer = await fetched;
    if (!('type' in answer)) return found(answer);
    return kept ? found(kept) : { kind: 'unavailable', failure: answer };
  };

  return {
    find,
    stop: async () => {
      stopping.abort(new Error('The daemon ends'));
      await Promise.allSettled(underWay.values());
    },
  };
};

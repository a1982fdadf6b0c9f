/** The records of the instance's domains, as its DNS server answers them. */

import type { Config } from '../../config/config.ts';
import { type DnsRecord, toDnsRecords } from '../../domains/records.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { isAhead, type Millis, SECOND } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { findLiveDomain, listDkimKeys } from '../../store/accounts/domains.ts';
import { toMailHost } from '../domains/mail-host.ts';
import type { Storage } from '../storage.ts';

/** Domains with cached records, and for how long; a missing domain is looked up each time. */
const MAX_CACHED = 1_000;
const CACHED_MS: Millis = 5 * SECOND;
/** The characters of a slug (resources/workspaces/add-workspace.ts); no other label is looked up. */
const SLUG = /^[a-z0-9-]+$/;

/** Reads the records of a domain of the instance, with a short cache: a question costs at most two look-ups. */
export const createFindRecords = (config: Config, { store, runtime }: Storage) => {
  const { base_domain: baseDomain } = config;
  const host = toMailHost(config);
  const cache = new BoundedMap<string, { records: readonly DnsRecord[]; until: Millis }>(MAX_CACHED);
  const loads = createSingleFlight<readonly DnsRecord[] | null>();

  const load = async (name: string): Promise<readonly DnsRecord[] | null> => {
    const domain = await findLiveDomain(store.read, name);
    if (!domain || domain.kind === 'custom') return null;
    const records = toDnsRecords(domain, await listDkimKeys(store.read, domain.id), host);
    cache.set(name, { records, until: runtime.clock.now() + CACHED_MS });
    return records;
  };

  return async (name: string): Promise<readonly DnsRecord[] | null> => {
    if (name !== baseDomain && !SLUG.test(name.slice(0, -baseDomain.length - 1))) return null;
    const now = runtime.clock.now();
    const known = cache.use(name);
    if (known && isAhead(known.until, now, CACHED_MS)) return known.records;
    return loads.run(name, () => load(name));
  };
};

/** The base domain, which signs notices to owners and DSNs. */

import { parseDomain } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { findDomain, insertDomain } from '../store/accounts/domains.ts';
import type { Store } from '../store/store.ts';
import { makeDkimKeys } from './signing-keys.ts';

export interface BaseDomainNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** Seals the new DKIM keys. */
  vaultKey: Buffer;
  baseDomain: string;
}

/** Creates the base domain with its DKIM keys, unless it exists. */
export const ensureBaseDomain = async ({
  store,
  clock,
  newId,
  vaultKey,
  baseDomain,
}: BaseDomainNeeds): Promise<void> => {
  if (await findDomain(store.read, baseDomain)) return;
  const name = parseDomain(baseDomain);
  if (!name) throw new Error(`${baseDomain} is no domain name.`);
  const now = clock.now();
  const keys = await makeDkimKeys(vaultKey, name, now);
  const base = { workspaceId: null, kind: 'base' as const, status: 'pending' as const };
  await store.write(async (tx) => {
    if (await findDomain(tx.db, name)) return;
    await insertDomain(
      tx,
      { id: newId<'domain'>(), name, ...base, verifiedAt: null, lastCheckedAt: null, createdAt: now },
      keys,
    );
  });
};

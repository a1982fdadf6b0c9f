/** The base domain: notices to owners and bounces are signed as it. */

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
  /** The key that new DKIM keys are sealed under. */
  vaultKey: Buffer;
  baseDomain: string;
}

/** Makes the base domain and its DKIM keys, once. */
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

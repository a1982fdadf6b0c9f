/**
 * Rotates a domain's RSA key: the next one, published ahead, signs from now on; a new next one is made. The Ed25519 key
 * stays, because its successor would need a fourth record; every mail carries the RSA signature beside it.
 */

import type { Clock } from '../kernel/clock.ts';
import { promoteDkimKey, reserveSelectorNumbers, retireDkimKey } from '../store/accounts/dkim-rotation.ts';
import { type DkimKey, type Domain, insertDkimKey, listDkimKeys, type NewDkimKey } from '../store/accounts/domains.ts';
import type { Store, Tx } from '../store/store.ts';
import { makeNextDkimKey, selectorNumber } from './signing-keys.ts';

export interface RotateNeeds {
  store: Store;
  clock: Clock;
  vaultKey: Buffer;
}

export const findNextKey = (keys: readonly DkimKey[]): DkimKey | null =>
  keys.find(({ role, retiredAt }) => role === 'next' && retiredAt === null) ?? null;

/** Makes the key after the next one; no earlier key of the domain had its selector. */
export const prepareRotation = async (
  { store, clock, vaultKey }: RotateNeeds,
  { id, name }: Domain,
): Promise<NewDkimKey> => {
  const keys = await listDkimKeys(store.read, id);
  const greatest = Math.max(0, ...keys.map(({ selector }) => selectorNumber(selector)));
  const number = await store.write((tx) => reserveSelectorNumbers(tx, name, 1, greatest));
  return makeNextDkimKey(vaultKey, name, clock.now(), number);
};

/** @returns false where the next key signs already, because of a concurrent rotation */
export const rotateDkim = async (
  tx: Tx,
  { id }: Domain,
  next: DkimKey,
  successor: NewDkimKey,
  clock: Clock,
): Promise<boolean> => {
  if (!(await promoteDkimKey(tx, id, next.selector))) return false;
  for (const { selector, role, algorithm } of await listDkimKeys(tx.db, id)) {
    const isReplaced = role === 'signing' && algorithm === next.algorithm && selector !== next.selector;
    if (isReplaced) await retireDkimKey(tx, id, selector, clock.now());
  }
  await insertDkimKey(tx, id, successor);
  return true;
};

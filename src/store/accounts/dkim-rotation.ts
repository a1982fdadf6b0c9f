/** Rotates DKIM keys: numbers selectors, which are used once, retires keys and deletes them. */

import type { DomainName } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { DomainId } from '../../kernel/ids.ts';
import { preparedPut } from '../prepared-insert.ts';
import { findValue, updateAndCount, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import { dkimKeys, dkimSelectorNumbers } from './accounts-mappings.ts';

const putNumber = preparedPut(dkimSelectorNumbers);

/**
 * Reserves numbers of a domain's selectors.
 * @param after the greatest number that is known to be in use
 * @returns the first of `count` numbers that no selector of the domain had before
 */
export const reserveSelectorNumbers = async (tx: Tx, domain: DomainName, count: number, after = 0): Promise<number> => {
  const last = await findValue(tx.db, dkimSelectorNumbers, 'lastNumber', { domain });
  const first = Math.max(last ?? 0, after) + 1;
  await putNumber(tx, { domain, lastNumber: first + count - 1 });
  return first;
};

/** Makes a published key the signing key. @returns whether it was the next one */
export const promoteDkimKey = async (tx: Tx, domainId: DomainId, selector: string): Promise<boolean> =>
  (await updateAndCount(tx, dkimKeys, { domainId, selector, role: 'next', retiredAt: null }, { role: 'signing' })) > 0;

/** Ends a key's signing and deletes its private part. */
export const retireDkimKey = (tx: Tx, domainId: DomainId, selector: string, now: Millis): Promise<void> =>
  updateRows(tx, dkimKeys, { domainId, selector }, { role: 'next', retiredAt: now, sealedPrivateKey: Buffer.alloc(0) });

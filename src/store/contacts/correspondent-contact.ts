/** The contacts behind addresses. */

import { type Address, addressKey, domainOf } from '../../kernel/address.ts';
import type { ContactId, WorkspaceId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { findSeqsByKey, KEY_KIND } from './contact-keys.ts';
import { contactName } from './contact-name.ts';
import { findContactsBySeq } from './contacts.ts';

/**
 * The newest contact that has the address; else the newest that its domain belongs to, else one above that.
 * @param topDomain the last domain that is looked for, as the organisation's
 */
export const findContactOfAddress = async (
  db: Db,
  workspaceId: WorkspaceId,
  address: Address,
  topDomain: string,
): Promise<{ id: ContactId; name: string } | null> => {
  const domain = domainOf(address);
  const keys = [
    [KEY_KIND.email, addressKey(address)],
    [KEY_KIND.domain, domain],
    [KEY_KIND.domain, topDomain],
  ] as const;
  for (const [kind, key] of keys) {
    const [contact] = await findContactsBySeq(db, await findSeqsByKey(db, workspaceId, kind, key, 1));
    if (contact) return { id: contact.id, name: contactName(contact) };
  }
  return null;
};

/**
 * The same for many addresses, by one statement.
 * @param topDomainOf the last domain that is looked for
 */
export const findContactIds = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  topDomainOf: (domain: string) => string,
): Promise<ReadonlyMap<Address, ContactId>> => {
  const found = new Map<Address, ContactId>();
  if (addresses.length === 0) return found;
  const domains = new Set(addresses.map(domainOf).flatMap((domain) => [domain, topDomainOf(domain)]));
  const rows = await db
    .selectFrom('contact_keys as k')
    .innerJoin('contacts as c', (join) => join.on('c.seq', '=', (eb) => eb.neg(eb.ref('k.recency'))))
    .select(['k.kind', 'k.key', 'c.id'])
    .where('k.workspace_id', '=', toBlob(workspaceId))
    .where((eb) =>
      eb.or([
        eb('k.kind', '=', KEY_KIND.email).and('k.key', 'in', [...new Set(addresses.map(addressKey))]),
        eb('k.kind', '=', KEY_KIND.domain).and('k.key', 'in', [...domains]),
      ]),
    )
    .orderBy('k.recency', 'desc')
    .execute();
  // The newest comes last.
  const byKey = new Map(rows.map(({ kind, key, id }) => [`${kind} ${key}`, fromBlob<'contact'>(id)]));
  for (const address of addresses) {
    const domain = domainOf(address);
    const id =
      byKey.get(`${KEY_KIND.email} ${addressKey(address)}`) ??
      byKey.get(`${KEY_KIND.domain} ${domain}`) ??
      byKey.get(`${KEY_KIND.domain} ${topDomainOf(domain)}`);
    if (id) found.set(address, id);
  }
  return found;
};

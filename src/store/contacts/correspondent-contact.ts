/** The contacts behind addresses. */

import { type Address, addressKey, domainOf } from '../../kernel/address.ts';
import type { ContactId, WorkspaceId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { findSeqsByKey, KEY_KIND, type KeyKind } from './contact-keys.ts';
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

/** The seq of the newest contact of each key. */
const findNewest = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: KeyKind,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('contact_keys')
    .select((eb) => ['key', eb.fn.min('recency').as('recency')])
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('kind', '=', kind)
    .where('key', 'in', [...keys])
    .groupBy('key')
    .execute();
  return new Map(rows.map(({ key, recency }) => [key, -Number(recency)]));
};

/**
 * The same for many addresses, by three statements.
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
  const byAddress = await findNewest(db, workspaceId, KEY_KIND.email, new Set(addresses.map(addressKey)));
  const byDomain = await findNewest(db, workspaceId, KEY_KIND.domain, domains);
  const seqs = [...new Set([...byAddress.values(), ...byDomain.values()])];
  if (seqs.length === 0) return found;
  const rows = await db.selectFrom('contacts').select(['seq', 'id']).where('seq', 'in', seqs).execute();
  const ids = new Map(rows.map(({ seq, id }) => [seq, fromBlob<'contact'>(id)]));
  for (const address of addresses) {
    const domain = domainOf(address);
    const seq = byAddress.get(addressKey(address)) ?? byDomain.get(domain) ?? byDomain.get(topDomainOf(domain));
    const id = seq === undefined ? undefined : ids.get(seq);
    if (id) found.set(address, id);
  }
  return found;
};

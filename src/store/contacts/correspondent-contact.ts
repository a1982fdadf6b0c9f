/** Finds the contacts of addresses. */

import { sql } from 'kysely';
import { type Address, addressKey, domainOf } from '../../kernel/address.ts';
import { type ContactId, idFromBytes, idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import { preparedListSelect } from '../prepared-statement.ts';
import type { Db } from '../store.ts';
import { KEY_KIND } from './contact-keys.ts';
import { contactName } from './contact-name.ts';
import { findContactsBySeq } from './contacts.ts';

const selectNewest = preparedListSelect((db, { workspace }: { workspace: Uint8Array }, keys) =>
  db
    .selectFrom('contact_keys')
    .select((eb) => ['kind', 'key', eb.fn.min<number>('recency').as('recency')])
    .where('workspace_id', '=', workspace)
    .where('kind', 'in', [sql.lit(KEY_KIND.email), sql.lit(KEY_KIND.domain)])
    .where('key', 'in', keys as string[])
    .groupBy(['kind', 'key']),
);

/**
 * The seq of the contact of each address: the newest that has it; else the newest that its domain belongs to, else one
 * above that.
 * @param topDomainOf the last domain that is looked for, as the organisation's
 */
const findSeqs = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  topDomainOf: (domain: string) => string,
): Promise<ReadonlyMap<Address, number>> => {
  const domains = new Set(addresses.map(domainOf).flatMap((domain) => [domain, topDomainOf(domain)]));
  const keys = new Set<string>([...addresses.map(addressKey), ...domains]);
  const rows = await selectNewest(db, { workspace: idToBytes(workspaceId) }, [...keys]);
  if (rows.length === 0) return new Map();
  const seqs = new Map(rows.map(({ kind, key, recency }) => [`${kind} ${key}`, -Number(recency)]));
  const ofDomain = (domain: string) => seqs.get(`${KEY_KIND.domain} ${domain}`);
  return new Map(
    addresses.flatMap((address) => {
      const domain = domainOf(address);
      const seq =
        seqs.get(`${KEY_KIND.email} ${addressKey(address)}`) ?? ofDomain(domain) ?? ofDomain(topDomainOf(domain));
      return seq === undefined ? [] : [[address, seq] as const];
    }),
  );
};

export const findContactOfAddress = async (
  db: Db,
  workspaceId: WorkspaceId,
  address: Address,
  topDomainOf: (domain: string) => string,
): Promise<{ id: ContactId; name: string } | null> => {
  const seqs = await findSeqs(db, workspaceId, [address], topDomainOf);
  const [contact] = await findContactsBySeq(db, [...seqs.values()]);
  return contact ? { id: contact.id, name: contactName(contact) } : null;
};

/** The ids alone, of many addresses, by two statements. */
export const findContactIds = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  topDomainOf: (domain: string) => string,
): Promise<ReadonlyMap<Address, ContactId>> => {
  const seqs = await findSeqs(db, workspaceId, addresses, topDomainOf);
  if (seqs.size === 0) return new Map();
  const rows = await db
    .selectFrom('contacts')
    .select(['seq', 'id'])
    .where('seq', 'in', [...seqs.values()])
    .execute();
  const ids = new Map(rows.map(({ seq, id }) => [seq, idFromBytes<'contact'>(id)]));
  return new Map(
    [...seqs].flatMap(([address, seq]) => {
      const id = ids.get(seq);
      return id ? [[address, id] as const] : [];
    }),
  );
};

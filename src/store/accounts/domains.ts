/** The domains that mail is received for and signed as, and their DKIM keys. */

import type { DomainName } from '../../kernel/address.ts';
import type { DomainId, WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { dkimKeys, domains } from './accounts-mappings.ts';

export type Domain = Entity<typeof domains>;

const dkimKey = dkimKeys.omit('domainId');
export type DkimKey = Entity<typeof dkimKey>;

const insertRow = preparedInsert(domains);
const insertKey = preparedInsert(dkimKeys);

export const insertDomain = async (tx: Tx, domain: Domain, keys: readonly DkimKey[]): Promise<void> => {
  await insertRow(tx, domain);
  for (const key of keys) await insertKey(tx, { ...key, domainId: domain.id });
};

const byName = preparedSelect((db, { name }: { name: string }) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('name', '=', name as DomainName),
);
const byId = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db.selectFrom('domains').selectAll().where('id', '=', id),
);

/** The domain of that name: the instance's own, a subdomain, or a verified custom one before a pending. */
export const findDomain = async (db: Db, name: string): Promise<Domain | null> => {
  const rows = await byName(db, { name });
  const row = rows.find(({ status }) => status === 'verified') ?? rows[0];
  return row ? domains.read(row) : null;
};

export const findDomainById = async (db: Db, id: DomainId): Promise<Domain | null> => {
  const [row] = await byId(db, { id: toBlob(id) });
  return row ? domains.read(row) : null;
};

/** A workspace's domains, or with null those of the instance. */
export const listDomains = async (db: Db, workspaceId: WorkspaceId | null): Promise<Domain[]> => {
  let query = db.selectFrom('domains').selectAll().orderBy('created_at');
  if (workspaceId) query = query.where('workspace_id', '=', toBlob(workspaceId));
  return (await query.execute()).map(domains.read);
};

const keysOfDomain = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db.selectFrom('dkim_keys').select(dkimKey.names).where('domain_id', '=', id).orderBy('selector'),
);

export const resealDkimKey = async (tx: Tx, domainId: DomainId, selector: string, sealed: Buffer): Promise<void> => {
  await tx.db
    .updateTable('dkim_keys')
    .set({ sealed_private_key: sealed })
    .where('domain_id', '=', toBlob(domainId))
    .where('selector', '=', selector)
    .execute();
};

export const listDkimKeys = async (db: Db, domainId: DomainId): Promise<DkimKey[]> =>
  (await keysOfDomain(db, { id: toBlob(domainId) })).map(dkimKey.read);

/** The domains that mail is received for and signed as, and their DKIM keys. */

import type { Selectable } from 'kysely';
import type { DomainName } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { DomainId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface Domain {
  id: DomainId;
  /** Null for the base domain, which is the box's own. */
  workspaceId: WorkspaceId | null;
  name: DomainName;
  kind: 'base' | 'subdomain' | 'custom';
  status: 'pending' | 'verified' | 'failing';
  verifiedAt: Millis | null;
  lastCheckedAt: Millis | null;
  createdAt: Millis;
}

export interface DkimKey {
  selector: string;
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
  /** A `next` key is published ahead, so that a rotation needs no change of DNS. */
  role: 'signing' | 'next';
  /** The value of `p=` (RFC 6376 section 3.6.1). */
  publicKey: string;
  sealedPrivateKey: Buffer;
  createdAt: Millis;
}

const fromRow = (row: Selectable<Schema['domains']>): Domain => ({
  id: fromBlob(row.id),
  workspaceId: row.workspace_id && fromBlob(row.workspace_id),
  name: row.name as DomainName,
  kind: row.kind,
  status: row.status,
  verifiedAt: row.verified_at,
  lastCheckedAt: row.last_checked_at,
  createdAt: row.created_at,
});

export const insertDomain = async (tx: Tx, domain: Domain, keys: readonly DkimKey[]): Promise<void> => {
  const id = toBlob(domain.id);
  await tx.db
    .insertInto('domains')
    .values({
      id,
      workspace_id: domain.workspaceId && toBlob(domain.workspaceId),
      name: domain.name,
      kind: domain.kind,
      status: domain.status,
      verified_at: domain.verifiedAt,
      last_checked_at: domain.lastCheckedAt,
      created_at: domain.createdAt,
    })
    .execute();
  for (const key of keys) {
    await tx.db
      .insertInto('dkim_keys')
      .values({
        domain_id: id,
        selector: key.selector,
        algorithm: key.algorithm,
        role: key.role,
        public_key: key.publicKey,
        sealed_private_key: key.sealedPrivateKey,
        created_at: key.createdAt,
      })
      .execute();
  }
};

/** The domain of that name whose mail is ours: the box's own, a subdomain, or a verified custom one before a pending. */
const byName = preparedSelect((db, name: string) => db.selectFrom('domains').selectAll().where('name', '=', name));
const byId = preparedSelect((db, id: Uint8Array) => db.selectFrom('domains').selectAll().where('id', '=', id));

export const findDomain = async (db: Db, name: string): Promise<Domain | null> => {
  const rows = await byName(db, name);
  const row = rows.find(({ status }) => status === 'verified') ?? rows[0];
  return row ? fromRow(row) : null;
};

export const findDomainById = async (db: Db, id: DomainId): Promise<Domain | null> => {
  const [row] = await byId(db, toBlob(id));
  return row ? fromRow(row) : null;
};

/** A workspace's domains, or with null every domain of the box. */
export const listDomains = async (db: Db, workspaceId: WorkspaceId | null): Promise<Domain[]> => {
  let query = db.selectFrom('domains').selectAll().orderBy('created_at');
  if (workspaceId) query = query.where('workspace_id', '=', toBlob(workspaceId));
  return (await query.execute()).map(fromRow);
};

const keysOfDomain = preparedSelect((db, id: Uint8Array) =>
  db.selectFrom('dkim_keys').selectAll().where('domain_id', '=', id).orderBy('selector'),
);

export const listDkimKeys = async (db: Db, domainId: DomainId): Promise<DkimKey[]> => {
  const rows = await keysOfDomain(db, toBlob(domainId));
  return rows.map((row) => ({
    selector: row.selector,
    algorithm: row.algorithm,
    role: row.role,
    publicKey: row.public_key,
    sealedPrivateKey: Buffer.from(row.sealed_private_key),
    createdAt: row.created_at,
  }));
};

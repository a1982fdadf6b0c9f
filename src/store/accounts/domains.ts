/** The domains that mail is received for and signed as, and their DKIM keys. */

import { sql } from 'kysely';
import type { DomainName } from '../../kernel/address.ts';
import { type AgentId, type DomainId, idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { countRows, findRow, findValue, listRows, literal, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { dkimKeys, domains } from './accounts-mappings.ts';
import { isLive } from './live-domain-mappings.ts';

export type Domain = Entity<typeof domains>;

const listed = domains.omit('checkResult');
/** Without what its last check found, some 10 kB. */
export type ListedDomain = Entity<typeof listed>;

const dkimKey = dkimKeys.omit('domainId');
export type DkimKey = Entity<typeof dkimKey>;
export type { CheckedRecord, CheckResult } from './accounts-mappings.ts';

/** Fields of a custom domain alone, or of one that was checked. */
type Later = 'ownershipToken' | 'failingSince' | 'checkResult' | 'receives';
export type NewDomain = Omit<Domain, Later> & Partial<Pick<Domain, Later>>;
export type NewDkimKey = Omit<DkimKey, 'retiredAt'>;

const insertRow = preparedInsert(domains);
const insertKey = preparedInsert(dkimKeys);

export const insertDomain = async (tx: Tx, domain: NewDomain, keys: readonly NewDkimKey[]): Promise<void> => {
  await insertRow(tx, { receives: true, ...domain });
  for (const key of keys) await insertDkimKey(tx, domain.id, key);
};

export const insertDkimKey = (tx: Tx, domainId: DomainId, key: NewDkimKey): Promise<void> =>
  insertKey(tx, { ...key, domainId });

const RANKS = { verified: 0, failing: 1, pending: 2 } as const;

const sortByStatus = (found: Domain[]): Domain[] => found.sort((a, b) => RANKS[a.status] - RANKS[b.status]);

/** Every domain of that name: one is verified at most, and several workspaces may have it pending. */
export const findDomainsByName = async (db: Db, name: string): Promise<Domain[]> =>
  sortByStatus(await listRows(db, domains, { name: name as DomainName }));

/** The domain of that name: the instance's own, a subdomain, or of the custom ones the verified before the failing. */
export const findDomain = async (db: Db, name: string): Promise<Domain | null> =>
  (await findDomainsByName(db, name))[0] ?? null;

export const findDomainById = (db: Db, id: DomainId): Promise<Domain | null> => findRow(db, domains, { id });

const ofAgent = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db
    .selectFrom('domains')
    .select(domains.toRead)
    .where('id', '=', (eb) =>
      eb.selectFrom('mailboxes').select('domain_id').where('agent_id', '=', id).where('receive_only', '=', sql.lit(0)),
    ),
);

/** The domain of the agent's address. */
export const findDomainOfAgent = async (db: Db, id: AgentId): Promise<Domain | null> => {
  const [row] = await ofAgent(db, { id: idToBytes(id) });
  return row ? domains.read(row) : null;
};

/** A workspace's domains, or with null those of the instance. */
export const listDomains = (db: Db, workspaceId: WorkspaceId | null): Promise<ListedDomain[]> =>
  listRows(db, domains, workspaceId ? { workspaceId } : {}, { order: { createdAt: 'asc' }, as: listed });

export const countDomains = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, domains, { workspaceId });

export const listFailingDomains = (db: Db, workspaceId: WorkspaceId): Promise<Domain[]> =>
  listRows(db, domains, { workspaceId, status: literal('failing') }, { order: { createdAt: 'asc' } });

/** The workspace's own, under the base domain. */
export const findSubdomain = (db: Db, workspaceId: WorkspaceId): Promise<Domain | null> =>
  findRow(db, domains, { workspaceId, kind: 'subdomain' });

/** The name of the base domain; null before the first start. */
export const findBaseDomain = (db: Db): Promise<DomainName | null> => findValue(db, domains, 'name', { kind: 'base' });

const liveByName = preparedSelect((db, { name }: { name: string }) =>
  db
    .selectFrom('domains')
    .select(domains.toRead)
    .where('name', '=', name as DomainName)
    .where(isLive),
);

/** As {@link findDomainsByName}, without those of removed workspaces. */
export const findLiveDomainsByName = async (db: Db, name: string): Promise<Domain[]> =>
  sortByStatus((await liveByName(db, { name })).map(domains.read));

export const findLiveDomain = async (db: Db, name: string): Promise<Domain | null> =>
  (await findLiveDomainsByName(db, name))[0] ?? null;

/** As {@link listDomains}, without those of removed workspaces. */
export const listLiveDomains = async (db: Db, workspaceId: WorkspaceId | null): Promise<ListedDomain[]> => {
  let query = db.selectFrom('domains').select(listed.toRead).where(isLive).orderBy('created_at');
  if (workspaceId) query = query.where('workspace_id', '=', idToBytes(workspaceId));
  return (await query.execute()).map(listed.read);
};

export const resealDkimKey = (tx: Tx, domainId: DomainId, selector: string, sealed: Buffer): Promise<void> =>
  updateRows(tx, dkimKeys, { domainId, selector }, { sealedPrivateKey: sealed });

export const listDkimKeys = async (db: Db, domainId: DomainId): Promise<DkimKey[]> =>
  listRows(db, dkimKeys, { domainId }, { order: { selector: 'asc' }, as: dkimKey });

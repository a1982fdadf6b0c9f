/** `postroom domains` */

import type { Instance } from '../../app/instance.ts';
import type { DnsRecord } from '../../domains/records.ts';
import { recordsOf } from '../../domains/records.ts';
import { ensureBaseDomain } from '../../resources/owner/workspaces.ts';
import { type Domain, findDomain, listDkimKeys, listDomains } from '../../store/accounts/domains.ts';
import type { Db } from '../../store/store.ts';
import { command } from '../command.ts';
import { requireWorkspace } from '../find.ts';
import { optional } from '../parameters.ts';
import { table, timeOrNull } from '../table.ts';
import { requireVaultKey, withInstance } from '../with-instance.ts';

/** A record as the interface shows it. What the DNS holds is not asked here. */
export const viewRecord = (record: DnsRecord) => ({ ...record, status: 'unchecked' as const, found: [] as string[] });

const viewDomain = async (db: Db, domain: Domain, hostname: string) => {
  const keys = await listDkimKeys(db, domain.id);
  return {
    id: domain.id,
    domain: domain.name,
    kind: domain.kind,
    status: domain.status,
    // A domain under our own may send at once; one of somebody's must be shown to be theirs.
    can_send: domain.kind !== 'custom' || domain.status === 'verified',
    records: recordsOf(domain, keys, hostname).map(viewRecord),
    dkim_records_pending: keys.length === 0,
    dkim_status: domain.status,
    verified_at: timeOrNull(domain.verifiedAt),
    last_checked_at: timeOrNull(domain.lastCheckedAt),
    created_at: timeOrNull(domain.createdAt),
  };
};

/** The base domain's keys are made at the first start; DNS that is set up before that has them made now. */
export const makeBaseDomain = async (instance: Instance): Promise<void> => {
  const { store, newId, config, runtime } = instance;
  if (await findDomain(store.read, config.base_domain)) return;
  const needs = { store, newId, vaultKey: requireVaultKey(instance), clock: runtime.clock };
  await ensureBaseDomain({ ...needs, baseDomain: config.base_domain });
};

const list = command({
  name: 'domains list',
  summary: 'lists domains; `dns show` has their records',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withInstance(context, async (instance) => {
      const { store, config, vaultKey } = instance;
      if (workspace === undefined && vaultKey) await makeBaseDomain(instance);
      const owner = workspace === undefined ? null : await requireWorkspace(store.read, workspace);
      const found = await listDomains(store.read, owner?.id ?? null);
      const domains = await Promise.all(found.map((each) => viewDomain(store.read, each, config.hostname)));
      const rows = domains.map(({ domain, kind, status, can_send }) => [domain, kind, status, can_send ? 'yes' : 'no']);
      return {
        document: { domains },
        text: () => table(['DOMAIN', 'KIND', 'STATUS', 'MAY SEND'], rows, 'No domains yet.'),
      };
    }),
});

export const domainCommands = [list];

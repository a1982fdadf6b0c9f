/** The domains resource: an agent names a domain by its id, a person by its name. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { createRateLimit, requireAllowance } from '../../access/rate-limit.ts';
import { isWithinReach } from '../../access/reach.ts';
import { findPlan } from '../../config/plans.ts';
import { type BaseDomainNeeds, ensureBaseDomain } from '../../domains/base-domain.ts';
import { nextState } from '../../domains/check/domain-state.ts';
import { parseAddableName } from '../../domains/domain-names.ts';
import { dkimName, type MailHost, toDnsRecords } from '../../domains/records.ts';
import { removeDomain } from '../../domains/remove-domain.ts';
import { findNextKey, prepareRotation, rotateDkim } from '../../domains/rotate-dkim.ts';
import { makeDkimKeys, NUMBERS_OF_NEW_KEYS } from '../../domains/signing-keys.ts';
import { type DomainName, parseDomain } from '../../kernel/address.ts';
import { type Caller, isPerson, type PersonCaller } from '../../kernel/caller.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { CallerOf, Handlers } from '../../kernel/handlers.ts';
import type { DomainId, WorkspaceId } from '../../kernel/ids.ts';
import { reserveSelectorNumbers } from '../../store/accounts/dkim-rotation.ts';
import { countCustomDomains, hasMailboxes } from '../../store/accounts/domain-claims.ts';
import {
  type Domain,
  findDomain,
  findDomainById,
  findDomainsByName,
  findLiveDomainsByName,
  insertDomain,
  type ListedDomain,
  listDkimKeys,
  listDomains,
  listLiveDomains,
} from '../../store/accounts/domains.ts';
import { findLiveWorkspace, findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { listOwnersOn } from '../../store/owners/own-addresses.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import type { AgentDomainView, domainsContract } from './contract.ts';
import { type DomainView, viewAgentDomain, viewDomain, viewRecords } from './view.ts';

export interface DomainsNeeds
  extends MailHost,
    Omit<BaseDomainNeeds, 'vaultKey'>,
    Needs<
      'store' | 'clock' | 'newId' | 'random' | 'plans' | 'checks' | 'vaultKey' | 'baseDomain' | 'requireNoSecret'
    > {}

/** Each makes two RSA keys, some 100 ms each. */
const ADDED_PER_HOUR = 30;
/** Each sends up to 120 queries, to servers that the caller selects by the domain. */
const CHECKS_PER_MINUTE = 60;
/** The bound for a plan without a limit. */
const MAX_CUSTOM_DOMAINS = 1_000;
const TOKEN_BYTES = 20;
/** Of a list. With their keys and what their checks found they take some 10 ms. */
const LISTED_AT_ONCE = 20;

const toAct = ({ workspaceId, name, id }: Domain, detail: { [key: string]: string | boolean } = {}) => ({
  workspaceId,
  subject: name,
  detail: { domain_id: id, ...detail },
});

const PROBATION =
  'A workspace on probation has no custom domain. Probation ends 7 days after signup, once the owner has verified the address and no mail has bounced, or when the operator sets a plan.';

export const createDomains = (needs: DomainsNeeds): Handlers<typeof domainsContract> => {
  const { store, clock, newId, random, plans, checks, vaultKey, baseDomain, hostname } = needs;
  const { read } = store;
  const additions = createRateLimit(clock, ADDED_PER_HOUR, HOUR);
  const checksOf = createRateLimit(clock, CHECKS_PER_MINUTE, MINUTE);

  const view = async (db: Db, domain: Domain): Promise<DomainView> => {
    const keys = await listDkimKeys(db, domain.id);
    return viewDomain(domain, toDnsRecords(domain, keys, needs), keys);
  };

  const viewListed = async ({ id }: ListedDomain): Promise<DomainView | null> => {
    const domain = await findDomainById(read, id);
    return domain && view(read, domain);
  };

  /** The slug of each domain's workspace, by the domain's id; each workspace is read once. */
  const readSlugs = async (domains: readonly ListedDomain[]): Promise<Map<string, string | undefined>> => {
    const ids = [...new Set(domains.flatMap(({ workspaceId }) => workspaceId ?? []))];
    const workspaces = await Promise.all(ids.map((id) => findWorkspaceById(read, id)));
    const slugs = new Map(workspaces.flatMap((each) => (each ? [[each.id, each.slug] as const] : [])));
    return new Map(domains.map(({ id, workspaceId }) => [id, workspaceId ? slugs.get(workspaceId) : undefined]));
  };

  /** @throws ApiError custom_domain_limit_reached */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const workspace = requireFound(await findLiveWorkspace(db, workspaceId), 'not_found');
    const used = await countCustomDomains(db, workspaceId);
    const ofPlan = findPlan(plans, workspace.plan).custom_domains ?? MAX_CUSTOM_DOMAINS;
    const included = workspace.tier === 'probation' ? 0 : ofPlan;
    if (used < included) return;
    const hint = workspace.tier === 'probation' ? { hint: PROBATION } : {};
    throw new ApiError('custom_domain_limit_reached', { ...hint, fields: { included, used } });
  };

  /** @returns the workspace's existing claim to the name. @throws ApiError where it may not have one */
  const requireAddable = async (db: Db, workspaceId: WorkspaceId, name: DomainName): Promise<Domain | null> => {
    const claims = await findDomainsByName(db, name);
    const own = claims.find((each) => each.workspaceId === workspaceId);
    if (own) return own;
    await requireRoom(db, workspaceId);
    if (claims.some(({ status }) => status === 'verified')) throw new ApiError('domain_taken');
    return null;
  };

  const requireVaultKey = (): Buffer => {
    if (!vaultKey) throw new ApiError('vault_unavailable');
    return vaultKey;
  };

  /** The daemon's first start makes its keys; DNS that is set up earlier makes them here. */
  const ensureBase = async (): Promise<void> => {
    if (await findDomain(read, baseDomain)) return;
    await ensureBaseDomain({ ...needs, vaultKey: requireVaultKey() });
  };

  /** Prefers the verified claim where several workspaces have added the name. */
  const reachByName = async (caller: PersonCaller, text: string): Promise<Domain> => {
    const name = parseDomain(text, 1);
    if (name === baseDomain && caller.kind === 'operator') await ensureBase();
    const claims = name === null ? [] : await findLiveDomainsByName(read, name);
    const [found, ...others] = claims.filter(({ workspaceId }) => isWithinReach(caller, workspaceId));
    if (!found) throw new ApiError('domain_not_found', { fields: { domain: text } });
    if (others.length > 0 && found.status !== 'verified') {
      const workspaces = await Promise.all(
        [found, ...others].map(({ workspaceId }) => workspaceId && findWorkspaceById(read, workspaceId)),
      );
      const candidates = workspaces.flatMap((each) => (each ? { id: each.id, slug: each.slug, name: each.name } : []));
      throw new ApiError('domain_ambiguous', { fields: { domain: text, candidates } });
    }
    return found;
  };

  const reachDomain = async (
    caller: CallerOf<typeof domainsContract.verify>,
    named: { id: DomainId } | { domain: string },
  ): Promise<Domain> => {
    if (isPerson(caller)) return reachByName(caller, 'domain' in named ? named.domain : '');
    const domain = 'id' in named ? await findDomainById(read, named.id) : null;
    if (domain?.workspaceId !== caller.workspaceId) throw new ApiError('not_found');
    return domain;
  };

  /** A person also sees which owners have an address there. */
  const viewerFor = async (
    caller: Caller,
    { workspaceId, name }: { workspaceId: WorkspaceId | null; name: DomainName | null },
  ): Promise<(view: DomainView) => AgentDomainView | (DomainView & { owners_on_domain: string[] })> => {
    if (!isPerson(caller)) return viewAgentDomain;
    const owners_on_domain = workspaceId && name ? await listOwnersOn(read, workspaceId, name) : [];
    return (view) => ({ ...view, owners_on_domain });
  };

  return {
    list: async (caller) => {
      const { workspaceId = null } = caller;
      if (workspaceId === null && vaultKey) await ensureBase();
      const domains = await (caller.kind === 'agent'
        ? listDomains(read, caller.workspaceId)
        : listLiveDomains(read, workspaceId));
      const views: DomainView[] = [];
      for (let at = 0; at < domains.length; at += LISTED_AT_ONCE) {
        if (at > 0) await yieldToLoop();
        const part = await Promise.all(domains.slice(at, at + LISTED_AT_ONCE).map(viewListed));
        views.push(...part.filter((each) => each !== null));
      }
      if (!isPerson(caller)) return { domains: views.map(viewAgentDomain) };
      const slugs = await readSlugs(domains);
      return { domains: views.map((each) => ({ ...each, workspace: slugs.get(each.id) ?? null })) };
    },

    add: async (caller, { domain: text }, { record }) => {
      const { workspaceId } = caller;
      const parsed = parseAddableName(text, [baseDomain, hostname]);
      if (parsed.kind === 'refused') throw new ApiError('invalid_domain', { hint: parsed.hint });
      const { name } = parsed;
      // Each check asks the domain's name servers for it.
      if (caller.kind === 'agent') await needs.requireNoSecret(workspaceId, [text, name]);
      const toAnswer = await viewerFor(caller, { workspaceId, name });
      const answer = async (tx: Tx, domain: Domain, created: boolean) =>
        record(tx, toAct(domain, { created }), { ...toAnswer(await view(tx.db, domain)), created });
      const known = await requireAddable(read, workspaceId, name);
      if (known) return store.write((tx) => answer(tx, known, false));
      const key = requireVaultKey();
      requireAllowance(additions, workspaceId, clock, 'Too many domains were added within the hour.');
      const first = await store.write((tx) => reserveSelectorNumbers(tx, name, NUMBERS_OF_NEW_KEYS));
      const now = clock.now();
      const keys = await makeDkimKeys(key, name, now, first);
      const domain: Domain = {
        id: newId<'domain'>(),
        workspaceId,
        name,
        kind: 'custom',
        status: 'pending',
        verifiedAt: null,
        lastCheckedAt: null,
        createdAt: now,
        ownershipToken: Buffer.from(random(TOKEN_BYTES)).toString('hex'),
        failingSince: null,
        checkResult: null,
        receives: true,
      };
      return store.write(async (tx) => {
        const raced = await requireAddable(tx.db, workspaceId, name);
        if (raced) return answer(tx, raced, false);
        await insertDomain(tx, domain, keys);
        return answer(tx, domain, true);
      });
    },

    verify: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      const toAnswer = await viewerFor(caller, domain);
      const claims = await findDomainsByName(store.read, domain.name);
      if (claims.some(({ id, status }) => id !== domain.id && status === 'verified'))
        throw new ApiError('domain_taken');
      if (domain.workspaceId)
        requireAllowance(checksOf, domain.workspaceId, clock, 'Too many checks within the minute.');
      requireVaultKey();
      const result = await checks.run(domain);
      return store.write(async (tx) => {
        const recorded = await checks.record(tx, domain.id, result, true);
        if (recorded.kind === 'taken') throw new ApiError('domain_taken');
        if (recorded.kind === 'gone') throw new ApiError('not_found');
        const { status } = recorded.domain;
        return record(tx, toAct(domain, { status }), toAnswer(await view(tx.db, recorded.domain)));
      });
    },

    remove: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      const answer = isPerson(caller) ? { domain: domain.name, removed: true as const } : { deleted: true as const };
      return store.write(async (tx) => {
        const current = requireFound(await findDomainById(tx.db, domain.id), 'not_found');
        if (current.kind === 'base') {
          const hint = 'This is the base domain of the instance, which cannot be removed.';
          throw new ApiError('subdomain_not_removable', { hint });
        }
        if (current.kind !== 'custom') throw new ApiError('subdomain_not_removable');
        if (await hasMailboxes(tx.db, domain.id)) throw new ApiError('domain_in_use');
        await removeDomain(tx, current);
        return record(tx, toAct(current), answer);
      });
    },

    rotateDkim: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      const key = requireVaultKey();
      const next = findNextKey(await listDkimKeys(read, domain.id));
      const { result } = await checks.run(domain);
      const name = next && dkimName(next.selector, domain.name);
      const published = result.records.find((each) => each.name === name);
      if (!next || published?.status !== 'found') {
        // Where the whole domain did not answer, the reason is the domain's, and no record's.
        const fields = { domain: domain.name, name, hint: published?.hint ?? result.hint };
        throw new ApiError('dkim_key_not_published', { fields });
      }
      const successor = await prepareRotation({ store, clock, vaultKey: key }, domain);
      return store.write(async (tx) => {
        if (!(await rotateDkim(tx, domain, next, successor, clock))) {
          throw new ApiError('dkim_key_not_published', { fields: { domain: domain.name, name, hint: null } });
        }
        const act = toAct(domain, { signs: next.selector, next: successor.selector });
        return record(tx, act, await view(tx.db, domain));
      });
    },

    records: async (caller, named) => {
      const domain = await reachDomain(caller, named);
      const { records } = await view(read, domain);
      return { domain: domain.name, hostname, records };
    },

    check: async (caller, named) => {
      const domain = await reachDomain(caller, named);
      const records = toDnsRecords(domain, await listDkimKeys(read, domain.id), needs);
      const check = await checks.run(domain);
      const { result } = check;
      const { name, status } = domain;
      // The state after a verification now.
      const sufficient = nextState(domain, check, clock.now(), true).change.status === 'verified';
      return { domain: name, status, sufficient, hint: result.hint, records: viewRecords(records, result) };
    },
  };
};

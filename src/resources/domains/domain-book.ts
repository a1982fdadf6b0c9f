/** The operations on a workspace's domains, for agents and persons alike. */

import { createRateLimit, requireAllowance } from '../../access/rate-limit.ts';
import { findPlan } from '../../config/plans.ts';
import type { DomainCheck } from '../../domains/check/check-domain.ts';
import { parseAddableName } from '../../domains/domain-names.ts';
import { type MailHost, toDnsRecords } from '../../domains/records.ts';
import { removeDomain } from '../../domains/remove-domain.ts';
import { makeDkimKeys, NUMBERS_OF_NEW_KEYS } from '../../domains/signing-keys.ts';
import type { DomainName } from '../../kernel/address.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Recorded, RecordingCall } from '../../kernel/handlers.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { reserveSelectorNumbers } from '../../store/accounts/dkim-rotation.ts';
import { countCustomDomains, hasMailboxes } from '../../store/accounts/domain-claims.ts';
import {
  type Domain,
  findDomainById,
  findDomainsByName,
  insertDomain,
  listDkimKeys,
} from '../../store/accounts/domains.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type DomainView, viewDomain } from './view.ts';

export type DomainBookNeeds = MailHost &
  Needs<'store' | 'clock' | 'newId' | 'random' | 'plans' | 'checks' | 'vaultKey' | 'baseDomain'>;

type RecordAct = RecordingCall['record'];
/** Agents and persons see a domain in different shapes. */
type ToAnswer<T> = (view: DomainView) => T;

/** Each makes two RSA keys, some 100 ms each. */
const ADDED_PER_HOUR = 30;
/** Each sends up to 120 queries, to servers that the caller selects by the domain. */
const CHECKS_PER_MINUTE = 60;
/** The bound for a plan without a limit. */
const MAX_CUSTOM_DOMAINS = 1_000;
const TOKEN_BYTES = 20;

const toAct = ({ workspaceId, name, id }: Domain, detail: { [key: string]: string | boolean } = {}) => ({
  workspaceId,
  subject: name,
  detail: { domain_id: id, ...detail },
});

const PROBATION =
  'A workspace on probation has no custom domain. Probation ends 7 days after signup, once the owner has verified the address and no mail has bounced, or when the operator sets a plan.';

export const createDomainBook = (needs: DomainBookNeeds) => {
  const { store, clock, newId, random, plans, checks, vaultKey, baseDomain, hostname } = needs;
  const additions = createRateLimit(clock, ADDED_PER_HOUR, HOUR);
  const checksOf = createRateLimit(clock, CHECKS_PER_MINUTE, MINUTE);

  const view = async (db: Db, domain: Domain): Promise<DomainView> => {
    const keys = await listDkimKeys(db, domain.id);
    return viewDomain(domain, toDnsRecords(domain, keys, needs), keys);
  };

  /** @throws ApiError custom_domain_limit_reached */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const workspace = requireFound(await findWorkspaceById(db, workspaceId), 'not_found');
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

  const parseName = (text: string): DomainName => {
    const parsed = parseAddableName(text, [baseDomain, hostname]);
    if (parsed.kind === 'refused') throw new ApiError('invalid_domain', { hint: parsed.hint });
    return parsed.name;
  };

  const requireVaultKey = (): Buffer => {
    if (!vaultKey) throw new ApiError('vault_unavailable');
    return vaultKey;
  };

  const add = async <T extends object>(
    workspaceId: WorkspaceId,
    text: string,
    record: RecordAct,
    toAnswer: ToAnswer<T>,
  ): Promise<Recorded<T & { created: boolean }>> => {
    const name = parseName(text);
    const answer = async (tx: Tx, domain: Domain, created: boolean) =>
      record(tx, toAct(domain, { created }), { ...toAnswer(await view(tx.db, domain)), created });
    const known = await requireAddable(store.read, workspaceId, name);
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
  };

  /** Looks its records up now. @throws ApiError domain_taken, vault_unavailable, overloaded */
  const check = async (domain: Domain): Promise<DomainCheck> => {
    requireVaultKey();
    return checks.run(domain);
  };

  const verify = async <T>(domain: Domain, record: RecordAct, toAnswer: ToAnswer<T>): Promise<Recorded<T>> => {
    const claims = await findDomainsByName(store.read, domain.name);
    if (claims.some(({ id, status }) => id !== domain.id && status === 'verified')) throw new ApiError('domain_taken');
    if (domain.workspaceId) requireAllowance(checksOf, domain.workspaceId, clock, 'Too many checks within the minute.');
    const result = await check(domain);
    return store.write(async (tx) => {
      const recorded = await checks.record(tx, domain.id, result, true);
      if (recorded.kind === 'taken') throw new ApiError('domain_taken');
      if (recorded.kind === 'gone') throw new ApiError('not_found');
      const { status } = recorded.domain;
      return record(tx, toAct(domain, { status }), toAnswer(await view(tx.db, recorded.domain)));
    });
  };

  const remove = <T>(domain: Domain, record: RecordAct, answer: T): Promise<Recorded<T>> =>
    store.write(async (tx) => {
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

  return { view, add, check, verify, remove };
};

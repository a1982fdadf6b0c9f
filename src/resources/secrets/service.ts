/**
 * The secrets resource. An agent gets the same answer for an ungranted secret as for a missing one, after the same
 * queries. Each change and its row in the activity log are one transaction; a value is opened once its row is on disk.
 */

import { reachAgent } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import { type AgentCaller, mailboxOf, type OwnerCaller, type PersonCaller } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers, RecordingCall } from '../../kernel/handlers.ts';
import type { SecretId, WorkspaceId } from '../../kernel/ids.ts';
import type { Agent } from '../../store/accounts/agents.ts';
import { findWorkspaceById, listWorkspaces } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';
import { deleteGrant, insertGrant, isGrantedWithSeed, listGrants } from '../../store/vault/secret-grants.ts';
import {
  countSecrets,
  findGrantedSecret,
  findSecretByName,
  findSecrets,
  findVersionedSecret,
  listGrantedSecrets,
  listSecrets,
  type SecretHead,
  type VersionedSecret,
} from '../../store/vault/secrets.ts';
import { type SecretValue, TOTP_FIELD, unguardedFields } from '../../vault/secret-value.ts';
import { oneTimeCode } from '../../vault/totp.ts';
import type { Needs } from '../needs.ts';
import { type ManagedSecretView, managedSecretShape, secretEntryShape, type secretsContract } from './contract.ts';
import { requireForm } from './value-form.ts';

/** As many as the leak guard can search every send for within a millisecond. */
const MAX_SECRETS = 1_000;

const viewSecret = viewOf(secretEntryShape);

type Grant = Awaited<ReturnType<typeof listGrants>>[number];

const toView = viewOf(managedSecretShape, (_secret: SecretHead, workspace: string, grants: readonly Grant[]) => ({
  workspace,
  grants: grants.map(({ handle }) => handle),
  seed_grants: grants.filter(({ withSeed }) => withSeed).map(({ handle }) => handle),
}));

const distinct = (tags: readonly string[]): string[] => [...new Set(tags)];

/** Agents open secrets granted to them at that moment; an owner any of the workspace. */
const findOpenable = async (db: Db, caller: AgentCaller | OwnerCaller, id: SecretId): Promise<VersionedSecret> => {
  if (caller.kind === 'agent') mailboxOf(caller);
  const secret =
    caller.kind === 'agent'
      ? await findGrantedSecret(db, caller.workspaceId, caller.agentId, id)
      : await findVersionedSecret(db, id);
  return requireFound(secret?.workspaceId === caller.workspaceId ? secret : null, 'secret_not_found_or_not_granted');
};

export const createSecrets = ({
  store,
  clock,
  vault,
}: Needs<'store' | 'clock' | 'vault'>): Handlers<typeof secretsContract> => {
  const open = async <T>(
    caller: AgentCaller | OwnerCaller,
    id: SecretId,
    { record }: RecordingCall,
    work: (secret: VersionedSecret, value: SecretValue, db: Db) => T | Promise<T>,
  ) => {
    // A wrong guess costs no write.
    await findOpenable(store.read, caller, id);
    return store.write(async (tx) => {
      const secret = await findOpenable(tx.db, caller, id);
      const answer = await work(secret, await vault.open(tx.db, secret), tx.db);
      const { workspaceId, name: subject, version } = secret;
      return record(tx, { workspaceId, subject, detail: { secret_id: id, version } }, answer);
    });
  };

  const viewAll = async (db: Db, workspaceId: WorkspaceId | null): Promise<ManagedSecretView[]> => {
    const grants = Map.groupBy(await listGrants(db, workspaceId), ({ secretId }) => secretId);
    const secrets = await listSecrets(db, workspaceId);
    const slugs = new Map((await listWorkspaces(db)).map(({ id, slug }) => [id, slug]));
    return secrets.map((secret) => toView(secret, slugs.get(secret.workspaceId) ?? '', grants.get(secret.id) ?? []));
  };

  const view = async (db: Db, secret: SecretHead): Promise<ManagedSecretView> => {
    const grants = await listGrants(db, secret.workspaceId);
    const own = grants.filter(({ secretId }) => secretId === secret.id);
    const workspace = await findWorkspaceById(db, secret.workspaceId);
    return toView(secret, workspace?.slug ?? '', own);
  };

  /** Without a workspace, the operator reaches the secrets of all. */
  const find = async (db: Db, { workspaceId }: PersonCaller, text: string): Promise<SecretHead> => {
    const [found, ...others] = await findSecrets(db, workspaceId ?? null, text);
    if (!found) throw new ApiError('secret_not_found', { fields: { secret: text } });
    if (others.length > 0) throw new ApiError('secret_ambiguous', { fields: { secret: text } });
    return found;
  };

  const reachOwnAgent = async (
    db: Db,
    caller: PersonCaller,
    workspaceId: WorkspaceId,
    name: string,
  ): Promise<Agent> => {
    // Only the operator learns that the agent is of another workspace.
    const { kind, name: by } = caller;
    const agent = await reachAgent(db, kind === 'operator' ? { kind, name: by } : caller, name);
    if (agent.workspaceId === workspaceId) return agent;
    const [own, other] = await Promise.all([workspaceId, agent.workspaceId].map((id) => findWorkspaceById(db, id)));
    throw new ApiError('agent_not_found', { fields: { agent: name, of_workspace: other?.slug, wanted: own?.slug } });
  };

  return {
    list: async (caller) => {
      if (caller.kind !== 'agent') return { secrets: await viewAll(store.read, caller.workspaceId ?? null) };
      mailboxOf(caller);
      return { secrets: (await listGrantedSecrets(store.read, caller.workspaceId, caller.agentId)).map(viewSecret) };
    },

    get: (caller, { id }, call) =>
      open(caller, id, call, async (secret, { [TOTP_FIELD]: seed, ...value }, db) => {
        const isWhole = caller.kind === 'owner' || (await isGrantedWithSeed(db, caller.agentId, id));
        const shown = { ...value, ...(isWhole && seed !== undefined && { [TOTP_FIELD]: seed }) };
        return { ...viewSecret(secret), secret: shown };
      }),

    totp: (caller, { id }, call) =>
      open(caller, id, call, (_secret, value) => {
        const made = requireFound(oneTimeCode(value[TOTP_FIELD] ?? '', clock.now()), 'no_totp_on_secret');
        const { code, digits, period, expiresAt } = made;
        return { code, digits, period, expires_at: isoTime(expiresAt) };
      }),

    add: async (caller, { name, type, tags, grants, value }, { record }) => {
      const { workspaceId } = caller;
      requireForm(type, value);
      return store.write(async (tx) => {
        const agents: Agent[] = [];
        for (const handle of grants) agents.push(await reachOwnAgent(tx.db, caller, workspaceId, handle));
        const known = await findSecretByName(tx.db, workspaceId, name);
        if (known) throw new ApiError('secret_exists', { fields: { name: known.name } });
        if ((await countSecrets(tx.db, workspaceId)) >= MAX_SECRETS) {
          throw new ApiError('secret_limit_reached', { fields: { limit: MAX_SECRETS } });
        }
        const secret = await vault.add(tx, { workspaceId, name, type, tags: distinct(tags), value });
        for (const agent of agents) await insertGrant(tx, agent.id, secret.id, clock.now());
        const added = await view(tx.db, secret);
        const detail = { secret_id: secret.id, type, tags: added.tags, grants: added.grants };
        return record(tx, { workspaceId, subject: name, detail }, { ...added, not_guarded: unguardedFields(value) });
      });
    },

    change: (caller, { secret: text, tags, value }, { record }) =>
      store.write(async (tx) => {
        const before = await find(tx.db, caller, text);
        if (value) requireForm(before.type, value);
        else if (!tags) throw new ApiError('invalid_request', { hint: 'Give a `value`, `tags`, or both.' });
        const secret = await vault.change(tx, before, { value, tags: tags && distinct(tags) });
        const { workspaceId, name: subject, version } = secret;
        const detail = { secret_id: secret.id, version, tags: secret.tags };
        const changed = { ...(await view(tx.db, secret)), not_guarded: value ? unguardedFields(value) : [] };
        return record(tx, { workspaceId, subject, detail }, changed);
      }),

    grant: (caller, { secret: text, agent: name, with_seed: withSeed }, { record }) =>
      store.write(async (tx) => {
        const secret = await find(tx.db, caller, text);
        const { id: secretId, workspaceId, name: subject } = secret;
        const { id, handle } = await reachOwnAgent(tx.db, caller, workspaceId, name);
        await insertGrant(tx, id, secretId, clock.now(), withSeed);
        const detail = { secret_id: secretId, agent: handle, ...(withSeed && { with_seed: true }) };
        return record(tx, { workspaceId, subject, detail }, await view(tx.db, secret));
      }),

    ungrant: (caller, { secret: text, agent: name }, { record }) =>
      store.write(async (tx) => {
        const secret = await find(tx.db, caller, text);
        const { workspaceId, name: subject } = secret;
        const { id, handle } = await reachOwnAgent(tx.db, caller, workspaceId, name);
        if (!(await deleteGrant(tx, id, secret.id))) {
          throw new ApiError('secret_not_granted', { fields: { secret: subject, agent: handle } });
        }
        const detail = { secret_id: secret.id, agent: handle };
        return record(tx, { workspaceId, subject, detail }, await view(tx.db, secret));
      }),

    remove: (caller, { secret: text }, { record }) =>
      store.write(async (tx) => {
        const secret = await find(tx.db, caller, text);
        await vault.remove(tx, secret);
        const { id, name, workspaceId } = secret;
        return record(
          tx,
          { workspaceId, subject: name, detail: { secret_id: id } },
          { id, name, removed: true as const },
        );
      }),
  };
};

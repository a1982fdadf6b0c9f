/** The workspace and the agents of a test instance. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instance, openInstance, type Runtime, systemRuntime } from '../../src/app/instance.ts';
import { openStorage } from '../../src/app/storage.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/config-text.ts';
import type { Log } from '../../src/kernel/log.ts';
import { addAgent } from '../../src/resources/agents/add-agent.ts';
import { addKey } from '../../src/resources/agents/keys/add-key.ts';
import { addWorkspace } from '../../src/resources/workspaces/add-workspace.ts';
import { writeKeyFile } from '../../src/seal/key-file.ts';
import { listAgents } from '../../src/store/accounts/agents.ts';
import { findDomain, listDkimKeys, listDomains } from '../../src/store/accounts/domains.ts';
import type { NewWorkspaceRow as Workspace } from '../../src/store/accounts/workspaces.ts';
import { copyDatabase, storageTable } from './postgres/test-location.ts';

export interface TestAgent {
  handle: string;
  address: string;
  key: string;
}

export interface TestAccounts {
  workspace: Workspace;
  agents: { ann: TestAgent; bob: TestAgent };
}

export type OpenedInstance = Instance & { vaultKey: Buffer };

/** Opens an instance for one piece of work. */
export const openFor = async <T>(
  config: Config,
  runtime: Runtime,
  work: (instance: OpenedInstance) => Promise<T>,
): Promise<T> => {
  const opened = await openInstance(config, { runtime });
  if (!opened.vaultKey) throw new Error('The test box has no vault key.');
  try {
    return await work({ ...opened, vaultKey: opened.vaultKey });
  } finally {
    await opened.close();
  }
};

export const addTestWorkspace = (
  { store, newId, vaultKey, runtime, config }: OpenedInstance,
  name: string,
  verified: boolean,
): Promise<Workspace> =>
  addWorkspace(
    { store, newId, vaultKey, clock: runtime.clock, baseDomain: config.base_domain },
    { name, ownerEmail: 'owner@remote.test', plan: 'unlimited', verified },
    async (_tx, workspace) => workspace,
  );

export const addTestAgent = async (
  { store, newId, runtime, config }: OpenedInstance,
  handle: string,
  workspace: Workspace,
): Promise<TestAgent> => {
  const needs = { newId, clock: runtime.clock };
  const domain = await findDomain(store.read, `${workspace.slug}.${config.base_domain}`);
  if (!domain) throw new Error('The workspace has no subdomain.');
  return store.write(async (tx) => {
    const wanted = { workspace, domain, handle, displayName: null, description: null, hold: false };
    const reach = (await listAgents(tx.db, workspace.id)).length === 0 ? 'workspace' : 'own';
    const { id, address } = await addAgent(needs, tx, wanted);
    const { key } = await addKey(needs, tx, { agentId: id, name: 'test', scopes: null, reach, expiresAt: null });
    return { handle, address, key };
  });
};

/** The workspace that each instance begins with, and its agents `ann` and `bob`. */
export const addAccounts = async (opened: OpenedInstance): Promise<TestAccounts> => {
  const workspace = await addTestWorkspace(opened, 'Acme', true);
  const ann = await addTestAgent(opened, 'ann', workspace);
  return { workspace, agents: { ann, bob: await addTestAgent(opened, 'bob', workspace) } };
};

/** Domains of an instance with their keys. */
export const listDomainKeys = async ({ store }: Pick<Instance, 'store'>) => {
  const domains = await listDomains(store.read, null);
  return Promise.all(domains.map(async (domain) => ({ domain, keys: await listDkimKeys(store.read, domain.id) })));
};
export type DomainKeys = Awaited<ReturnType<typeof listDomainKeys>>;

interface CopiedAccounts extends TestAccounts {
  readonly domains: DomainKeys;
}
interface MadeAccounts extends CopiedAccounts {
  readonly config: Config;
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

const made = new Map<string, Promise<MadeAccounts>>();

const makeAccounts = async (hostname: string, baseDomain: string): Promise<MadeAccounts> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-accounts-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'postroom.toml');
  const text = `hostname = "${hostname}"\nbase_domain = "${baseDomain}"\ndata_dir = "data"\n[vault]\nkey_file = "vault.key"\n${await storageTable(directory)}`;
  writeFileSync(path, text);
  writeKeyFile(join(directory, 'vault.key'));
  const config = parseConfig(text, path);
  const accounts = await openFor(config, systemRuntime, addAccounts);
  // What the first start of a daemon adds.
  const storage = await openStorage(config, silent, systemRuntime);
  const domains = await listDomainKeys(storage);
  await storage.stop();
  return { config, domains, ...accounts };
};

/** As `addAccounts` does, into a new instance: made once, with its data file and its keys, and copied from then on. */
export const copyAccounts = async (to: Config): Promise<CopiedAccounts> => {
  const name = `${to.hostname} ${to.base_domain}`;
  const making = made.get(name) ?? makeAccounts(to.hostname, to.base_domain);
  made.set(name, making);
  const { config: from, workspace, agents, domains } = await making;
  mkdirSync(to.data_dir, { recursive: true, mode: 0o700 });
  cpSync(from.data_dir, to.data_dir, { recursive: true });
  cpSync(from.vault.key_file, to.vault.key_file);
  await copyDatabase(from, to);
  return { workspace, agents, domains };
};

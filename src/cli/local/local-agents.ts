/** The workspace and the agents of `install.sh --local`. Their keys are kept beside the data, so that a client's go on working. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Instance } from '../../app/instance.ts';
import type { CallOperation } from '../../app/operator-calls.ts';
import { replaceFile } from '../../kernel/files/replace-file.ts';
import { agentsContract } from '../../resources/agents/contract.ts';
import { keysContract } from '../../resources/agents/keys/contract.ts';
import { workspacesContract } from '../../resources/workspaces/contract.ts';
import { hashApiKey } from '../../seal/api-key.ts';
import { findKeyHolder } from '../../store/accounts/api-keys.ts';

const SLUG = 'local';
export const OWNER = 'owner@localhost';
const HANDLES = ['alice', 'bob'] as const;
/** The key that an agent begins with, and what earlier versions called it. */
const KEY_NAME = 'default';
const KEY_NAMES = [KEY_NAME, 'local'];

export interface LocalAgent {
  handle: string;
  address: string;
  key: string;
}

const keptKeys = z.record(z.string(), z.string());

/** Empty where the file is missing or damaged: the agents are given new keys. */
const readKeys = (path: string): Readonly<Record<string, string>> => {
  try {
    return existsSync(path) ? keptKeys.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
  } catch {
    return {};
  }
};

/** Takes the place of the keys that earlier runs gave and that are lost: only hashes of them are stored. */
const replaceKeys = async (call: CallOperation, agent: string): Promise<string> => {
  const { keys } = await call(keysContract.list, { agent });
  for (const { id, name, revoked_at } of keys) {
    if (KEY_NAMES.includes(name) && revoked_at === null) await call(keysContract.revoke, { key_id: id });
  }
  return (await call(keysContract.add, { agent, name: KEY_NAME })).key;
};

export const provideAgents = async (
  { store, runtime }: Instance,
  call: CallOperation,
  data: string,
): Promise<LocalAgent[]> => {
  const { workspaces } = await call(workspacesContract.list, {});
  if (!workspaces.some(({ slug }) => slug === SLUG)) {
    await call(workspacesContract.add, { name: SLUG, owner_email: OWNER, plan: 'unlimited', verified: true });
  }
  const known = (await call(agentsContract.list, { workspace: SLUG })).agents;
  const path = join(data, 'agent-keys.json');
  const kept = readKeys(path);
  const provide = async (handle: string): Promise<LocalAgent> => {
    const found = known.find((agent) => agent.handle === handle);
    if (!found) {
      const { address, api_key: key } = await call(agentsContract.add, { handle, workspace: SLUG });
      return { handle, address, key };
    }
    const key = kept[handle];
    const holder = key === undefined ? null : await findKeyHolder(store.read, hashApiKey(key), runtime.clock.now());
    const isHeld = key !== undefined && holder?.agentId === found.id;
    return { handle, address: found.address, key: isHeld ? key : await replaceKeys(call, handle) };
  };
  const agents: LocalAgent[] = [];
  for (const handle of HANDLES) {
    agents.push(await provide(handle));
    const keys = Object.fromEntries(agents.map(({ handle: name, key }) => [name, key]));
    replaceFile(path, `${JSON.stringify({ ...kept, ...keys }, null, 2)}\n`, 0o600);
  }
  return agents;
};

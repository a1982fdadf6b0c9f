/** A mailbox that a bench fills and asks: its mails, and as many keys as its requests take. */

import { openInstance } from '../../../src/app/instance.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { type Agent, findAgent } from '../../../src/store/accounts/agents.ts';
import type { TestInstance } from '../../../test/harness/instance.ts';
import { storeMails } from '../../../test/harness/stored-mail.ts';
import { mailAt } from './mail-requests.ts';

/** A key makes 300 requests a minute. */
const REQUESTS_OF_KEY = 200;

type Opened = Awaited<ReturnType<typeof openInstance>>;

/** Beside the daemon, as a command works. */
export const withAgent = async <T>(
  { config }: TestInstance,
  handle: string,
  work: (opened: Opened, agent: Agent) => Promise<T>,
): Promise<T> => {
  const opened = await openInstance(config);
  try {
    const agent = await findAgent(opened.store.read, handle);
    if (!agent) throw new Error(`No agent ${handle}`);
    return await work(opened, agent);
  } finally {
    await opened.close();
  }
};

export const fillMailbox = (instance: TestInstance, handle: string, mails: number): Promise<void> =>
  withAgent(instance, handle, ({ store, newId }, { mailboxId }) => storeMails(store, newId, mailboxId, mails, mailAt));

export const addKeys = (instance: TestInstance, handle: string, count: number): Promise<string[]> =>
  withAgent(instance, handle, async ({ store, newId, runtime: { clock } }, { id }) => {
    const wanted = { agentId: id, name: 'bench', scopes: null, reach: 'own' as const, expiresAt: null };
    const keys: string[] = [];
    for (let at = 0; at < count; at += 1) {
      keys.push((await store.write((tx) => addKey({ newId, clock }, tx, wanted))).key);
    }
    return keys;
  });

/** @returns milliseconds of a request */
export type Ask = (path: string) => Promise<number>;

/** @param most requests that are made */
export const createAsk = async (
  instance: TestInstance,
  handle: string,
  most: number,
  signal: AbortSignal,
): Promise<Ask> => {
  const keys = await addKeys(instance, handle, Math.ceil(most / REQUESTS_OF_KEY));
  let requests = 0;
  return async (path) => {
    const authorization = `Bearer ${keys[Math.floor(requests++ / REQUESTS_OF_KEY)]}`;
    const began = performance.now();
    const response = await fetch(new URL(path, instance.baseUrl), { headers: { authorization }, signal });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return performance.now() - began;
  };
};

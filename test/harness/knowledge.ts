/** Sources of a knowledge base, added and waited for over REST. */

import type { TestAgent, TestInstance } from './instance.ts';
import { eventually } from './smtp/send-mail.ts';

export interface ShownSource {
  id: string;
  kind: string;
  url: string | null;
  title: string | null;
  status: string;
  error: string | null;
  pages: number;
  last_indexed_at: string | null;
}

export interface ShownHit {
  page_id: string;
  source_id: string;
  title: string | null;
  url: string | null;
  heading: string;
  passage: string;
  score: number;
}

/** Without waits between requests to one host. */
export const FAST = { knowledge: { intervalMs: 0 } };

const readJson = async <T>(response: Response): Promise<T> => {
  const body = (await response.json()) as T;
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
  return body;
};

export const createLibrarian = (instance: TestInstance, agent: TestAgent = instance.agents.ann) => {
  const ask = (method: string, path: string, body?: unknown) => instance.request(agent, method, path, body);
  const get = async (id: string): Promise<ShownSource> => readJson(await ask('GET', `/v1/knowledge/sources/${id}`));
  /** Resolves once the source is ready or failed. */
  const settled = (id: string, withinMs?: number): Promise<ShownSource> =>
    eventually(async () => {
      const source = await get(id);
      return (source.status === 'ready' || source.status === 'failed') && source;
    }, withinMs);
  const add = async (source: object): Promise<ShownSource> =>
    readJson(await ask('POST', '/v1/knowledge/sources', source));
  return {
    ask,
    get,
    add,
    settled,
    addAndSettle: async (source: object, withinMs?: number) => settled((await add(source)).id, withinMs),
    refresh: async (id: string) =>
      readJson<{ id: string; status: string }>(await ask('POST', `/v1/knowledge/sources/${id}`)),
    search: async (q: string, limit = 8): Promise<ShownHit[]> =>
      (
        await readJson<{ hits: ShownHit[] }>(
          await ask('GET', `/v1/knowledge?q=${encodeURIComponent(q)}&limit=${limit}`),
        )
      ).hits,
    home: async () =>
      readJson<{ brief: string; sources: ShownSource[]; contents: { page_id: string; title: string; url: string }[] }>(
        await ask('GET', '/v1/knowledge'),
      ),
    page: async (id: string) =>
      readJson<{ id: string; title: string; url: string; text: string; fetched_at: string }>(
        await ask('GET', `/v1/knowledge/pages/${id}`),
      ),
  };
};

/** Requests of agents, answered as status and JSON. */

import type { TestAgent, TestInstance } from '../instance.ts';

export type Answer = (
  agent: TestAgent,
  method: string,
  path: string,
  body?: unknown,
) => Promise<readonly [status: number, body: Record<string, unknown>]>;

export const answerOf =
  (instance: TestInstance): Answer =>
  async (agent, method, path, body) => {
    const response = await instance.request(agent, method, path, body);
    return [response.status, (await response.json()) as Record<string, unknown>];
  };

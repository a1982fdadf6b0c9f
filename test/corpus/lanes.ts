/** A box and several agents of it, each with an SMTP connection of its own: messages go through them side by side. */

import type { z } from 'zod';
import { systemClock } from '../../src/kernel/clock.ts';
import type { messageDetailShape } from '../../src/resources/messages/read/contract.ts';
import { startInstance, type TestAgent, type TestInstance } from '../harness/instance.ts';
import { MailFeeder } from './mail-feeder.ts';

export type Detail = z.output<typeof messageDetailShape>;

/** Calls before the clock is put on by a minute, well below what a key may make in one. */
const CALLS_A_MINUTE = 200;

export interface Lane {
  readonly agent: TestAgent;
  /** @returns the reply; a connection that a reply of 421 ended is made anew */
  deliver(message: Buffer, sender?: string): Promise<string>;
  /** The latest message of the agent, as its list and its detail show it. Rejects with any status above 299. */
  latest(): Promise<Detail>;
  call<T>(path: string): Promise<T>;
  bytes(path: string): Promise<Buffer>;
}

export interface Lanes extends AsyncDisposable {
  readonly instance: TestInstance;
  /** Gives each item to a lane that is free. */
  each<T>(items: readonly T[], work: (lane: Lane, item: T) => Promise<void>): Promise<void>;
}

const laneOf = async (
  instance: TestInstance,
  agent: TestAgent,
  countCall: () => void,
): Promise<Lane & AsyncDisposable> => {
  let feeder = await MailFeeder.connect(instance.smtpPort);
  const get = async (path: string): Promise<Response> => {
    countCall();
    const response = await instance.request(agent, 'GET', path);
    if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
    return response;
  };
  const call = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;
  return {
    agent,
    deliver: async (message, sender) => {
      const reply = await feeder.deliver(message, agent.address, sender);
      if (reply === '' || reply.startsWith('421')) {
        await feeder[Symbol.asyncDispose]();
        feeder = await MailFeeder.connect(instance.smtpPort);
      }
      return reply;
    },
    latest: async () => {
      const { messages } = await call<{ messages: { id: string }[] }>('/v1/messages?limit=1');
      return call<Detail>(`/v1/messages/${messages[0]?.id}`);
    },
    call,
    bytes: async (path) => Buffer.from(await (await get(path)).arrayBuffer()),
    [Symbol.asyncDispose]: () => feeder[Symbol.asyncDispose](),
  };
};

export const startLanes = async (count = 4): Promise<Lanes> => {
  let skewMs = 0;
  let calls = 0;
  const clock = { now: () => systemClock.now() + skewMs };
  const countCall = () => {
    calls += 1;
    if (calls % CALLS_A_MINUTE === 0) skewMs += 60_000;
  };
  const instance = await startInstance({ runtime: { clock } });
  const lanes: (Lane & AsyncDisposable)[] = [];
  for (let at = 0; at < count; at += 1)
    lanes.push(await laneOf(instance, await instance.addAgent(`lane${at}`), countCall));
  return {
    instance,
    each: async (items, work) => {
      const rest = [...items].reverse();
      const run = async (lane: Lane): Promise<void> => {
        for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(lane, item);
      };
      await Promise.all(lanes.map(run));
    },
    [Symbol.asyncDispose]: async () => {
      for (const lane of lanes) await lane[Symbol.asyncDispose]();
      await instance[Symbol.asyncDispose]();
    },
  };
};

/** What goes on all the time: mail in and out, booked sends, reads, the owner's console, and damaged sessions. */

import { setTimeout as delay } from 'node:timers/promises';
import type { TestAgent } from '../../test/harness/instance.ts';
import { sendMail } from '../../test/harness/smtp/send-mail.ts';
import type { Findings } from '../fuzz/findings.ts';
import { createRandom, type Random } from '../fuzz/random.ts';
import { playSession } from '../fuzz/smtp-player.ts';
import { makeSession } from '../fuzz/smtp-sessions.ts';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

const LANES = { mailIn: 8, sends: 3, bookings: 1, reads: 2, owner: 1, hooks: 1, damaged: 3 };
/** Between two tries, and between two works of a lane: it is a mix that is wanted, no flood. */
const PAUSE_MS = 40;
/** An answer that does not come is none. */
const PATIENCE_MS = 20_000;
const MOST_AHEAD_S = 60;
/** In this share of the sends the client closes the connection before the answer. */
const HANGS_UP = 0.05;

const READS = ['/v1/messages?limit=20', '/v1/search?q=torture', '/v1/threads?limit=10', '/v1/identity'];
const OWNER_CALLS = ['home/needs', 'home/agents', 'agents/list', 'approvals/list'];

/** Where an answer of the daemon's own would be a fault: "too busy" and "the disk is full" are not. */
const isFault = (status: number): boolean => status >= 500 && status !== 503;

export interface LoadSettings {
  readonly world: World;
  readonly ledger: Ledger;
  readonly findings: Findings;
  readonly mails: readonly Buffer[];
  readonly seed: number;
}

/** @returns how many works were done, by kind, once `isOver` */
export const load = async (
  { world, ledger, findings, mails, seed }: LoadSettings,
  isOver: () => boolean,
): Promise<Map<string, number>> => {
  const { instance } = world.box;
  const done = new Map<string, number>();
  let streams = 0;
  const lane = async (kind: keyof typeof LANES, work: (random: Random) => Promise<void>): Promise<void> => {
    const random = createRandom(seed, streams++);
    while (!isOver()) {
      await work(random);
      done.set(kind, (done.get(kind) ?? 0) + 1);
      await delay(PAUSE_MS);
    }
  };
  /** Tries until it is acknowledged, as a mail server and a careful client do. */
  const insist = async (name: string, attempt: () => Promise<boolean>): Promise<void> => {
    const entry = ledger.entry(name);
    if (!entry) return;
    while (!entry.isAcknowledged && !isOver()) {
      entry.tries += 1;
      entry.isAcknowledged = await attempt().catch(() => false);
      if (!entry.isAcknowledged) await delay(PAUSE_MS * 5);
    }
  };
  const mailIn = async (random: Random): Promise<void> => {
    const name = ledger.begin('in');
    const headers = { Subject: name, 'Message-ID': `<${name}@remote.test>` };
    const to = [random.pick(world.agents).address];
    const late = () => delay(PATIENCE_MS).then(() => Promise.reject(new Error('late')));
    const mail = () => sendMail(instance.smtpPort, { to, headers, text: `${name}\n${random.next()}` });
    await insist(name, async () => Boolean(await Promise.race([mail(), late()])));
  };
  const call = async (
    { key }: TestAgent,
    path: string,
    init: RequestInit,
    patienceMs = PATIENCE_MS,
  ): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(new URL(path, instance.baseUrl), { ...init, headers, signal });
    const text = await response.text();
    if (isFault(response.status)) findings.add('5xx', `${path}: ${response.status} ${text.slice(0, 200)}`);
    return response.status;
  };
  const send = async (random: Random, work: 'out' | 'booked'): Promise<void> => {
    const name = ledger.begin(work);
    const agent = random.pick(world.agents);
    const mail = { to: [`${name}@remote.test`], subject: name, body: `${name} ${random.next()}` };
    const ahead = 1 + random.below(MOST_AHEAD_S);
    const body = JSON.stringify(
      work === 'out'
        ? mail
        : { ...mail, send_at: new Date(Date.now() + world.clockOffMs() + ahead * 1_000).toISOString() },
    );
    const headers = { 'content-type': 'application/json', 'idempotency-key': name };
    await insist(name, async () => {
      const patienceMs = random.chance(HANGS_UP) ? 1 + random.below(20) : PATIENCE_MS;
      const status = await call(agent, '/v1/messages', { method: 'POST', headers, body }, patienceMs);
      if (status === 400 || status === 409) await delay(PAUSE_MS * 20);
      return status === 200 || status === 202;
    });
  };
  const read = async (random: Random): Promise<void> => {
    await call(random.pick(world.agents), random.pick(READS), {}).catch(() => undefined);
  };
  const look = async (random: Random): Promise<void> => {
    const path = random.pick(OWNER_CALLS);
    const answer = await world.owner.call(path, {}, 'acme').catch(() => null);
    if (answer && (isFault(answer.status) || answer.status === 401))
      findings.add('5xx', `console ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
    await delay(PAUSE_MS * 5);
  };
  const hooks = async (): Promise<void> => {
    await world.turnHookOn().catch(() => undefined);
    await delay(PAUSE_MS * 50);
  };
  const damaged = async (random: Random): Promise<void> => {
    const recipients = world.agents.map(({ address }) => address);
    await playSession(instance.smtpPort, makeSession(recipients, mails, random)).catch(() => undefined);
  };
  const works = {
    mailIn,
    sends: (random: Random) => send(random, 'out'),
    bookings: (random: Random) => send(random, 'booked'),
    reads: read,
    owner: look,
    hooks,
    damaged,
  };
  const kinds = Object.keys(LANES) as (keyof typeof LANES)[];
  await Promise.all(kinds.flatMap((kind) => Array.from({ length: LANES[kind] }, () => lane(kind, works[kind]))));
  return done;
};

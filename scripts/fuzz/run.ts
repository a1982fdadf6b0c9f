/** One run against one daemon: inputs side by side, and an eye on what becomes of the daemon. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessBox } from '../../test/harness/process.ts';
import { cpuSeconds, residentMebibytes } from '../bench/process-usage.ts';
import { type Canary, callAround, mailAround } from './canary.ts';
import { createLogReader, liveMebibytes, openSockets } from './daemon-state.ts';
import { makeDnsPacket, makeQuery } from './dns-packets.ts';
import { playTcp, playUdp } from './dns-player.ts';
import type { Findings } from './findings.ts';
import { createRandom } from './random.ts';
import { type AgentCaller, type KnownOperation, makeRequest } from './rest-calls.ts';
import { sendRequest } from './rest-player.ts';
import { makeSearch } from './searches.ts';
import { slowUpload } from './slow-uploads.ts';
import { HANG_MS, playSession } from './smtp-player.ts';
import { makeSession } from './smtp-sessions.ts';

/** Sessions spend most of their time waiting, the greeting's tenth of a second first of all. */
const SMTP_LANES = 20;
const REST_LANES = 2;
const SEARCH_LANES = 3;
const SLOW_LANES = 12;
const DNS_BURST = 40;
/** Packets of a connection. */
const DNS_SERIES = 20;
const DNS_PAUSE_MS = 50;
const LOOK_EVERY_MS = 500;
const CANARY_EVERY_MS = 3_000;
/** Of the whole time: caches fill, and the engine takes the memory that it works with. */
const WARM_UP = 0.3;
/** Time without input, in which sessions and idle threads end and memory is given back. */
const SETTLE_MS = 35_000;
/** What the main thread may hold more than when it was warm. */
const LIVE_GROWTH_MIB = 32;
/**
 * What the process may have grown by since it was warm: four connections fill page caches of 64 MiB as the store grows, and
 * the threads' heaps keep the room of their largest load.
 */
const RESIDENT_GROWTH_MIB = 384;

/** A reply's ids are a caller's own: later requests name some of them. */
const KEPT_IDS = 30;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const learnIds = ({ ids }: AgentCaller, body: string): void => {
  ids.push(...(body.match(UUID) ?? []).slice(0, 3));
  ids.splice(0, Math.max(ids.length - KEPT_IDS, 0));
};

/** Kinds of input. */
export const KINDS = ['smtp', 'rest', 'search', 'slow', 'dns'] as const;
export type Kind = (typeof KINDS)[number];

export interface RunSettings {
  kinds: readonly Kind[];
  seconds: number;
  seed: number;
  mails: readonly Buffer[];
  recipients: readonly string[];
  callers: readonly AgentCaller[];
  canary: Canary;
  operations: readonly KnownOperation[];
  httpPort: number;
  smtpPort: number;
  dns: { port: number; zone: string };
}

interface State {
  liveMib: number;
  residentMib: number;
  sockets: number;
}

export const formatMemory = ({ liveMib, residentMib }: State): string =>
  `${residentMib} MiB, of which the main thread holds ${liveMib}`;

export interface RunResult {
  sessions: number;
  requests: number;
  statuses: Map<string, number>;
  warm: State;
  end: State;
}

export const run = async ({ daemon }: ProcessBox, settings: RunSettings, findings: Findings): Promise<RunResult> => {
  const { seed, mails, recipients, callers, canary, operations, httpPort, smtpPort, dns } = settings;
  const statuses = new Map<string, number>();
  const count = (name: string) => statuses.set(name, (statuses.get(name) ?? 0) + 1);
  let until = 0;
  let isOver = false;
  const isDone = () => isOver || Date.now() >= until;
  void daemon.ended.then(({ code, signal }) => {
    if (!isOver) findings.add('crash', `the daemon ended with ${signal ?? code}`);
    isOver = true;
  });

  let sessions = 0;
  const smtpLane = async (): Promise<void> => {
    while (!isDone()) {
      const number = sessions++;
      const steps = makeSession(recipients, mails, createRandom(seed, number));
      const input = { name: `smtp ${number}`, bytes: Buffer.concat(steps.map(({ bytes }) => bytes)) };
      findings.recordAnswer(input);
      const { replies, isStuck } = await playSession(smtpPort, steps);
      for (const [, code] of replies.matchAll(/^(\d{3}) /gm)) count(`smtp ${code}`);
      if (isStuck && !isOver)
        findings.add(
          'hang',
          `smtp: outlived its client by ${HANG_MS} ms, behind ${replies.trimEnd().split('\n').at(-1)}`,
          input,
        );
    }
  };
  let requests = 0;
  const restLane = async (): Promise<void> => {
    while (!isDone()) {
      const number = requests++;
      const random = createRandom(seed ^ 0x5eed, number);
      const caller = random.pick(callers);
      const input = { name: `rest ${number}`, bytes: makeRequest(operations, caller, random) };
      findings.recordAnswer(input);
      const { status, body, isStuck } = await sendRequest(httpPort, input.bytes);
      count(`http ${status}`);
      learnIds(caller, body);
      const line = input.bytes.toString('latin1').split(/[\r?]/, 1)[0] ?? '';
      if (isStuck && !isOver) findings.add('hang', `rest: ${line.slice(0, 80)}`, input);
      // "Too busy" is an answer; that it is not given to everybody is what the canary sees to.
      if (status !== null && status >= 500 && status !== 503)
        findings.add('5xx', `${status} ${body.slice(0, 100)}`, input);
    }
  };
  const readLog = createLogReader(daemon.output);
  const watch = async (): Promise<void> => {
    while (!isDone()) {
      await delay(LOOK_EVERY_MS);
      for (const { what, line } of readLog()) findings.add('fault', `${what}\n${line}`.slice(0, 4_000));
    }
  };
  let searched = 0;
  const searchLane = async (): Promise<void> => {
    while (!isDone()) {
      const random = createRandom(seed ^ 0x5ea7c4, searched);
      const input = { name: `search ${searched++}`, bytes: makeSearch(random.pick(callers), random) };
      findings.recordAnswer(input);
      const { status, body } = await sendRequest(httpPort, input.bytes, true);
      count(`search ${status}`);
      if (status !== null && status >= 500 && status !== 503)
        findings.add('5xx', `${status} ${body.slice(0, 100)}`, input);
    }
  };
  let series = 0;
  const dnsLane = async (): Promise<void> => {
    while (!isDone()) {
      const random = createRandom(seed ^ 0xd45, series);
      const make = (count: number) => Array.from({ length: count }, () => makeDnsPacket(dns.zone, random));
      const burst = make(DNS_BURST);
      for (const code of await playUdp(dns.port, burst)) count(`dns udp ${code}`);
      const packets = make(DNS_SERIES);
      const input = { name: `dns ${series++}`, bytes: Buffer.concat([...burst, ...packets]) };
      findings.recordAnswer(input);
      const { codes, isStuck } = await playTcp(dns.port, packets, random.bytes(random.below(40)));
      for (const code of codes) count(`dns tcp ${code}`);
      if (isStuck && !isOver) findings.add('hang', 'dns: a connection outlived its client', input);
      const asked = [makeQuery(dns.zone, createRandom(seed, 0))];
      const plain = await playTcp(dns.port, asked, Buffer.alloc(0));
      if (plain.codes.length === 0 && !isOver && !isDone())
        findings.add('canary', 'a plain DNS query: no answer', input);
      await delay(DNS_PAUSE_MS);
    }
  };
  let uploads = 0;
  const slowLane = async (): Promise<void> => {
    const targets = { smtpPort, httpPort, recipient: recipients[0] ?? '', callers };
    while (!isDone()) await slowUpload(targets, isDone, createRandom(seed ^ 0x510, uploads++)).catch(() => undefined);
  };
  /** A daemon that used no processor time meanwhile was not let near the processor or the disk. */
  const watched = async <T>(work: Promise<T>): Promise<{ result: T; used: string }> => {
    const before = cpuSeconds(daemon.pid);
    const result = await work;
    const seconds = isOver ? 0 : Math.round((cpuSeconds(daemon.pid) - before) * 10) / 10;
    return { result, used: `${seconds} s of processor time used` };
  };
  const canaryLane = async (): Promise<void> => {
    while (!isDone()) {
      await delay(CANARY_EVERY_MS);
      if (isDone()) return;
      const mail = await watched(mailAround(smtpPort, canary));
      if (mail.result !== null && !isOver) findings.add('canary', `a plain mail: ${mail.result}; ${mail.used}`);
      const calls = await watched(callAround(httpPort, canary));
      for (const wrong of isOver ? [] : calls.result) findings.add('slow', `another tenant's ${wrong}`);
    }
  };
  const playFor = async (seconds: number): Promise<State> => {
    until = Date.now() + seconds * 1_000;
    const begin: Readonly<Record<Kind, () => Promise<void>[]>> = {
      smtp: () => Array.from({ length: SMTP_LANES }, smtpLane),
      rest: () => Array.from({ length: REST_LANES }, restLane),
      search: () => Array.from({ length: SEARCH_LANES }, searchLane),
      slow: () => Array.from({ length: SLOW_LANES }, slowLane),
      dns: () => [dnsLane()],
    };
    const lanes = settings.kinds.flatMap((kind) => begin[kind]());
    await Promise.all([...lanes, watch(), canaryLane()]);
    if (!isOver) await delay(SETTLE_MS);
    if (isOver) return { liveMib: 0, residentMib: 0, sockets: 0 };
    const residentMib = residentMebibytes(daemon.pid);
    return { liveMib: await liveMebibytes(daemon), residentMib, sockets: openSockets(daemon.pid) };
  };

  const warm = await playFor(settings.seconds * WARM_UP);
  const end = isOver ? warm : await playFor(settings.seconds * (1 - WARM_UP));
  for (const { what, line } of readLog()) findings.add('fault', `${what}\n${line}`.slice(0, 4_000));
  if (!isOver) {
    if (end.liveMib > warm.liveMib + LIVE_GROWTH_MIB || end.residentMib > warm.residentMib + RESIDENT_GROWTH_MIB) {
      findings.add('leak', `memory: ${formatMemory(warm)} when warm, ${formatMemory(end)} at the end`);
    }
    if (end.sockets > warm.sockets)
      findings.add('leak', `sockets: ${warm.sockets} when warm, ${end.sockets} at the end`);
  }
  isOver = true;
  return { sessions, requests, statuses, warm, end };
};

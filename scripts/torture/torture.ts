/** One run: blows with kills, then a stretch without them in which memory is looked at, then the count. */

import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Address } from '../../src/kernel/address.ts';
import { idFromBytes } from '../../src/kernel/ids.ts';
import type { TestInstance } from '../../test/harness/instance.ts';
import { eventually } from '../../test/harness/smtp/send-mail.ts';
import { residentMebibytes } from '../bench/process-usage.ts';
import { liveMebibytes } from '../fuzz/daemon-state.ts';
import type { Findings } from '../fuzz/findings.ts';
import { createRandom } from '../fuzz/random.ts';
import { readSeedMails } from '../fuzz/seed-mails.ts';
import { LAST_CLOCK, type Struck, strike } from './blows.ts';
import { type Found, judge, type Verdict } from './judge.ts';
import { createLedger } from './ledger.ts';
import { load } from './loads.ts';
import { startWorld, type World } from './world.ts';

/** Share of the time in which the daemon is killed; of the rest, the first third warms it up. */
const WITH_KILLS = 2 / 3;
const WARM_UP = 1 / 3;
/** Sessions and idle threads end, and memory is given back. */
const SETTLE_MS = 35_000;
const LIVE_GROWTH_MIB = 32;
const RESIDENT_GROWTH_MIB = 128;
/** Spare connections to the data and the peers come and go. */
const DESCRIPTORS_GROWTH = 8;
/** What is left has to become less within this time: by now all that waited for its next try is due. */
const PROGRESS_MS = 60_000;

interface State {
  readonly liveMib: number;
  readonly residentMib: number;
  readonly descriptors: number;
}

const stateOf = async ({ box: { daemon } }: World): Promise<State> => {
  const liveMib = await liveMebibytes(daemon);
  const descriptors = readdirSync(`/proc/${daemon.pid}/fd`).length;
  return { liveMib, residentMib: residentMebibytes(daemon.pid), descriptors };
};

const grown = (warm: State, end: State): boolean =>
  end.liveMib > warm.liveMib + LIVE_GROWTH_MIB ||
  end.residentMib > warm.residentMib + RESIDENT_GROWTH_MIB ||
  end.descriptors > warm.descriptors + DESCRIPTORS_GROWTH;

const shown = ({ liveMib, residentMib, descriptors }: State): string =>
  `${residentMib} MiB (${liveMib} live), ${descriptors} descriptors`;

const countOf = async (query: { execute(): Promise<unknown[]> }): Promise<number> => (await query.execute()).length;

/** Once all that was accepted has gone out and been told. Answers to damaged mail go to hosts that are not there. */
const drain = async ({ inStore }: Pick<TestInstance, 'inStore'>): Promise<void> => {
  const left = () =>
    inStore(async ({ read }) => ({
      deliveries: await countOf(
        read
          .selectFrom('deliveries')
          .innerJoin('messages', 'messages.id', 'message_id')
          .select('deliveries.id')
          .where('subject', 'like', 'torture-%')
          .where('deliveries.status', 'in', ['queued', 'deferred']),
      ),
      bookings: await countOf(read.selectFrom('scheduled_sends').select('id').where('status', '=', 'pending')),
      webhooks: await countOf(
        read.selectFrom('webhook_deliveries').select('next_attempt_at').where('next_attempt_at', 'is not', null),
      ),
    }));
  const count = async () => Object.values(await left()).reduce((sum, each) => sum + each);
  for (let before = await count(); before > 0; before = await count()) {
    await eventually(async () => (await count()) < before, PROGRESS_MS).catch(async () => {
      throw new Error(`Nothing goes on, and this is left: ${JSON.stringify(await left())}`);
    });
  }
};

const find = ({ inStore }: Pick<TestInstance, 'inStore'>, told: string) =>
  inStore(async ({ read }): Promise<Pick<Found, 'stored' | 'receivedIds'>> => {
    const stored = await read.selectFrom('messages').select('subject').where('subject', 'like', 'torture-%').execute();
    const received = await read
      .selectFrom('messages')
      .innerJoin('addresses', 'addresses.mailbox_id', 'messages.mailbox_id')
      .select('messages.id')
      .where('direction', '=', 'in')
      .where('address', '=', told as Address)
      .execute();
    return { stored: stored.map(({ subject }) => subject), receivedIds: received.map(({ id }) => idFromBytes(id)) };
  });

/** What SQLite says of a file. */
const checkFile = (path: string): unknown => {
  const data = new Database(path, { readonly: true });
  try {
    return data.pragma('integrity_check', { simple: true });
  } finally {
    data.close();
  }
};

export interface TortureSettings {
  readonly seconds: number;
  readonly seed: number;
  readonly findings: Findings;
}

export const torture = async ({
  seconds,
  seed,
  findings,
}: TortureSettings): Promise<{ verdict: Verdict; lines: string[] }> => {
  const ledger = createLedger();
  await using world = await startWorld(ledger, findings);
  const struck: Struck[] = [];
  const done = new Map<string, number>();
  const settings = { world, ledger, findings, mails: readSeedMails(), seed };
  const play = async (share: number, kills: boolean): Promise<void> => {
    const until = performance.now() + seconds * 1_000 * share;
    const isOver = () => performance.now() >= until;
    const random = createRandom(seed, struck.length + 1_000);
    const [worked] = await Promise.all([load(settings, isOver), strike(world, random, struck, isOver, kills)]);
    for (const [kind, times] of worked) done.set(kind, (done.get(kind) ?? 0) + times);
  };
  const settle = async (): Promise<State> => {
    await delay(SETTLE_MS);
    return await stateOf(world);
  };

  await play(WITH_KILLS, true);
  await play((1 - WITH_KILLS) * WARM_UP, false);
  const warm = await settle();
  await play((1 - WITH_KILLS) * (1 - WARM_UP), false);
  const end = await settle();
  if (grown(warm, end)) findings.add('leak', `${shown(warm)} when warm, ${shown(end)} at the end`);

  world.setClock(LAST_CLOCK);
  await world.restart('SIGTERM');
  await world.turnHookOn();
  const { instance } = world.box;
  await drain(instance);
  world.readLog();
  const { url } = instance.config.storage;
  const check = url.engine === 'sqlite' ? checkFile(url.file) : 'ok';
  if (check !== 'ok') findings.add('fault', `integrity_check: ${String(check)}`);
  const verdict = judge(ledger, {
    ...(await find(instance, instance.agents.ann.address)),
    heardIds: world.heardIds,
    blows: struck,
  });
  for (const [work, { acknowledged }] of Object.entries(verdict.sums)) {
    if (acknowledged === 0) findings.add('fault', `nothing was acknowledged: ${work}`);
  }
  const lines = [
    `done: ${[...done].map(([kind, times]) => `${times} ${kind}`).join(', ')}`,
    `blows: ${[...Map.groupBy(struck, ({ blow }) => blow)].map(([blow, { length }]) => `${length} ${blow}`).join(', ')}`,
    ...Object.entries(verdict.sums).map(
      ([work, { acknowledged, lost, doubled, wronglyDoubled }]) =>
        `${work}: ${acknowledged} acknowledged, ${lost.length} lost, ${doubled} doubled where no answer had come, ${wronglyDoubled.length} without a cause`,
    ),
    `events: ${world.heardIds.size} told, ${verdict.unheard.length} not`,
    `memory: ${shown(warm)} when warm, ${shown(end)} at the end`,
    ...Object.values(verdict.sums)
      .flatMap(({ lost, wronglyDoubled }) => [...lost, ...wronglyDoubled])
      .slice(0, 20),
  ];
  return { verdict, lines };
};

/** One run: blows with kills, then a stretch without them in which memory is looked at, then the count. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
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

/** Once all that was accepted has gone out and been told. Answers to damaged mail go to hosts that are not there. */
const drain = async (data: Database.Database): Promise<void> => {
  const left = data.prepare(
    `select
      (select count(*) from deliveries join messages on messages.id = message_id
        where subject like 'torture-%' and deliveries.status in ('queued', 'deferred')) as deliveries,
      (select count(*) from scheduled_sends where status = 'pending') as bookings,
      (select count(*) from webhook_deliveries where next_attempt_at is not null) as webhooks`,
  );
  const count = () => Object.values(left.get() as Record<string, number>).reduce((sum, each) => sum + each);
  for (let before = count(); before > 0; before = count()) {
    await eventually(async () => count() < before, PROGRESS_MS, 500).catch(() => {
      throw new Error(`Nothing goes on, and this is left: ${JSON.stringify(left.get())}`);
    });
  }
};

const read = (data: Database.Database, told: string): Pick<Found, 'stored' | 'receivedIds'> => ({
  stored: data.prepare(`select subject from messages where subject like 'torture-%'`).pluck().all() as string[],
  receivedIds: data
    .prepare(
      `select lower(hex(id)) from messages
        where direction = 'in' and mailbox_id = (select mailbox_id from addresses where address = ?)`,
    )
    .pluck()
    .all(told)
    .map((hex) => String(hex).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
});

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
  using data = Object.assign(
    new Database(join(world.box.instance.directory, 'data', 'postroom.db'), { readonly: true }),
    {
      [Symbol.dispose]: () => data.close(),
    },
  );
  await world.turnHookOn();
  await drain(data);
  world.readLog();
  const check = data.pragma('integrity_check', { simple: true });
  if (check !== 'ok') findings.add('fault', `integrity_check: ${String(check)}`);
  const verdict = judge(ledger, {
    ...read(data, world.box.instance.agents.ann.address),
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

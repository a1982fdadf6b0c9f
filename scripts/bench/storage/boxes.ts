/**
 * What PostgreSQL costs beside the SQLite file: mail in and out, lists, reads and searches of one box on each, by turns; and
 * mail in and out of two boxes on one database, on the same processors.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../../test/harness/postgres/postgres-server.ts';
import { joinBox } from '../../../test/harness/postgres/second-box.ts';
import { spawnDaemon } from '../../../test/harness/process.ts';
import type { Bench } from '../bench.ts';
import { playRound, WARM_UP_MESSAGES } from '../inbound.ts';
import { type Percentiles, percentilesOf } from '../percentiles.ts';
import { type PostroomContestant, startPostroom } from '../postroom.ts';
import { cpuSeconds, familyCpuSeconds } from '../process-usage.ts';
import { type Ask, createAsk, fillMailbox } from '../search/asked-mailbox.ts';
import { MAIL_KINDS, type Sample } from '../search/mail-requests.ts';
import { createSender, prose } from '../sender.ts';
import { NO_TRIPWIRES } from '../sending/plans.ts';
import { type SmtpSink, startSmtpSink } from '../sending/smtp-sink.ts';
import { median, threeDigits } from '../table.ts';
import { prepareSends } from './sends-out.ts';

/** In the mailbox that is asked, unless $BENCH_MAILS says another number. */
const MAILS = Number(process.env.BENCH_MAILS ?? 10_000);
const KIND = { mail: 'unsigned', connections: 'kept' } as const;
const ENGINES = ['SQLite', 'PostgreSQL'] as const;
type Engine = (typeof ENGINES)[number];
const CONTESTANTS = [...ENGINES, 'two boxes'] as const;
type Name = (typeof CONTESTANTS)[number];
const LISTS = 1_500;
const SEARCHES = 450;
/** Each part has its p99, and the median of them counts: a pause of the machine, or of what asks, is in few parts. */
const REQUESTS_OF_PART = 150;
const WARM_UP = 30;
/** Before each round: while others had theirs, threads have ended and compiled code was dropped. */
const WARM_UP_OF_ROUND = 500;
const SAMPLES = 100;
const SENDS = 600;
const WARM_UP_SENDS = 300;
const TEXT_BYTES = 2_000;
/** Until indexing and PostgreSQL's own tidying are over. */
const SETTLE_MS = 3_000;

// Reads want the bytes of mails, which those that are stored here have not.
const KINDS = Object.entries(MAIL_KINDS).filter(([kind]) => kind !== 'read a message');
const requestsOf = ({ group }: (typeof KINDS)[number][1]): number => WARM_UP + (group === 'search' ? SEARCHES : LISTS);

const percentilesOfParts = (times: readonly number[]): Percentiles => {
  const parts: Percentiles[] = [];
  for (let at = 0; at < times.length; at += REQUESTS_OF_PART)
    parts.push(percentilesOf(times.slice(at, at + REQUESTS_OF_PART)));
  const middle = (of: keyof Percentiles): number => median(parts.map((part) => part[of]));
  return { median: middle('median'), p99: middle('p99'), worst: Math.max(...parts.map(({ worst }) => worst)) };
};

interface Asked {
  readonly ask: Ask;
  readonly sample: Sample;
}

const fill = async ({ harness: { instance } }: PostroomContestant, signal: AbortSignal): Promise<Asked> => {
  await fillMailbox(instance, 'bob', MAILS);
  const { messages } = await instance.client(instance.agents.bob).messages.list({ limit: SAMPLES });
  const sample = {
    mails: MAILS,
    messageIds: messages.map(({ id }) => id),
    threadIds: messages.flatMap(({ thread_id }) => thread_id ?? []),
  };
  const most = KINDS.reduce((sum, [, kind]) => sum + requestsOf(kind), 0);
  return { ask: await createAsk(instance, 'bob', most, signal), sample };
};

interface Box extends PostroomContestant {
  readonly sink: SmtpSink;
  /** Of all its boxes. */
  readonly origins: readonly string[];
}

const startOne = async (cleanUp: AsyncDisposableStack, storageUrl?: string): Promise<Box> => {
  const sink = cleanUp.use(await startSmtpSink());
  const options = { plans: NO_TRIPWIRES, outbound: `port = ${sink.port}`, ...(storageUrl && { storageUrl }) };
  const box = cleanUp.use(await startPostroom(null, options));
  return { ...box, sink, origins: [box.harness.instance.baseUrl] };
};

/** Mail goes to both; the first one is asked. */
const startTwo = async (cleanUp: AsyncDisposableStack, storageUrl: string): Promise<Box> => {
  const first = await startOne(cleanUp, storageUrl);
  const { path, smtp, http } = await joinBox(first.harness.instance);
  const second = spawnDaemon(path);
  cleanUp.defer(async () => void (await second.end('SIGTERM')));
  await second.ready;
  return {
    ...first,
    otherPorts: [smtp],
    origins: [...first.origins, `http://127.0.0.1:${http}`],
    cpuSeconds: () => first.cpuSeconds() + cpuSeconds(second.pid),
  };
};

const run: Bench['run'] = async ({ rounds, messages, sessions }, signal, say) => {
  await using cleanUp = new AsyncDisposableStack();
  const [server, ofTwo] = [
    cleanUp.use(await startPostgres(undefined, true)),
    cleanUp.use(await startPostgres(undefined, true)),
  ];
  const boxes = {
    SQLite: await startOne(cleanUp),
    PostgreSQL: await startOne(cleanUp, server.url),
    'two boxes': await startTwo(cleanUp, ofTwo.url),
  };
  const servers = { SQLite: null, PostgreSQL: server, 'two boxes': ofTwo };
  const serverSeconds = (name: Name): number => {
    const of = servers[name];
    return of ? familyCpuSeconds(of.pid) : 0;
  };
  const play = async (engine: Name, count: number, marker: string) => {
    const box = boxes[engine];
    const { instance } = box.harness;
    const sender = await createSender(instance.dns.zone);
    const needs = { to: instance.agents.ann.address, sender, sessions, signal };
    const before = serverSeconds(engine);
    let ofServer = 0;
    const timed: PostroomContestant = {
      ...box,
      delivered: async (...args) => {
        await box.delivered(...args);
        ofServer = serverSeconds(engine) - before;
      },
    };
    const { deliveredPerSecond, cpuSeconds: seconds } = await playRound(timed, KIND, count, marker, needs);
    return { perSecond: deliveredPerSecond, cpuMs: (seconds * 1_000) / count, serverMs: (ofServer * 1_000) / count };
  };

  const text = prose(TEXT_BYTES, 1);
  const most = WARM_UP_SENDS + rounds * SENDS;
  const senders = new Map<Name, Awaited<ReturnType<typeof prepareSends>>>();
  for (const name of CONTESTANTS) {
    const { harness, origins, sink } = boxes[name];
    senders.set(name, await prepareSends(harness.instance, origins, sink, { most, text }));
  }
  const sendAll = async (name: Name, count: number) => {
    const [cpu, ofServer, began] = [boxes[name].cpuSeconds(), serverSeconds(name), performance.now()];
    await senders.get(name)?.(count, signal);
    const perSecond = (count * 1_000) / (performance.now() - began);
    const cpuMs = ((boxes[name].cpuSeconds() - cpu) * 1_000) / count;
    return { perSecond, cpuMs, serverMs: ((serverSeconds(name) - ofServer) * 1_000) / count };
  };

  const asked = {} as Record<Engine, Asked>;
  for (const name of CONTESTANTS) {
    const filled = await fill(boxes[name], signal);
    if (name !== 'two boxes') asked[name] = filled;
    await play(name, WARM_UP_MESSAGES, `warmup${CONTESTANTS.indexOf(name)}`);
    await sendAll(name, WARM_UP_SENDS);
    say(`${name}: ${MAILS} mails are stored`);
  }
  await sleep(SETTLE_MS, undefined, { signal });
  const taken: Record<Name, Awaited<ReturnType<typeof play>>[]> = { SQLite: [], PostgreSQL: [], 'two boxes': [] };
  const sent: typeof taken = { SQLite: [], PostgreSQL: [], 'two boxes': [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of CONTESTANTS) {
      const marker = `round${round}in${CONTESTANTS.indexOf(name)}`;
      await play(name, WARM_UP_OF_ROUND, `${marker}first`);
      const figures = await play(name, messages, marker);
      taken[name].push(figures);
      const ofSends = await sendAll(name, SENDS);
      sent[name].push(ofSends);
      say(`${round} ${name}: ${Math.round(figures.perSecond)} mails a second in, ${Math.round(ofSends.perSecond)} out`);
    }
  }

  await sleep(SETTLE_MS, undefined, { signal });
  const answers: { kind: string; isSearch: boolean; SQLite: Percentiles; PostgreSQL: Percentiles }[] = [];
  for (const [kind, asking] of KINDS) {
    const { group, path } = asking;
    const times: Record<Engine, number[]> = { SQLite: [], PostgreSQL: [] };
    for (let turn = 0; turn < requestsOf(asking); turn += 1) {
      for (const engine of ENGINES) {
        const { ask, sample } = asked[engine];
        const took = await ask(path(turn, sample));
        if (turn >= WARM_UP) times[engine].push(took);
      }
    }
    const figures = { SQLite: percentilesOfParts(times.SQLite), PostgreSQL: percentilesOfParts(times.PostgreSQL) };
    answers.push({ kind, isSearch: group === 'search', ...figures });
    say(`${kind}: ${threeDigits(figures.SQLite.p99)} and ${threeDigits(figures.PostgreSQL.p99)} ms at p99`);
  }

  const rowsOf = (rounds: typeof taken) =>
    CONTESTANTS.map((engine) => [
      engine,
      ...(['perSecond', 'cpuMs', 'serverMs'] as const).map((figure) =>
        threeDigits(median(rounds[engine].map((each) => each[figure]))),
      ),
    ]);
  const ratioTo = (other: Name, name: Name, rounds = taken): number =>
    threeDigits(
      median(rounds[name].map(({ perSecond }, round) => perSecond / (rounds[other][round]?.perSecond ?? Number.NaN))),
    );
  const ratio = ratioTo('SQLite', 'PostgreSQL');
  const ofTwoBoxes = ratioTo('PostgreSQL', 'two boxes');
  const [ratioOut, outOfTwo] = [ratioTo('SQLite', 'PostgreSQL', sent), ratioTo('PostgreSQL', 'two boxes', sent)];
  const worst = (isSearch: boolean, of: (each: (typeof answers)[number]) => number) =>
    threeDigits(Math.max(...answers.filter((each) => each.isSearch === isSearch).map(of)));
  return {
    tables: [
      {
        title: `Mail in, ${messages} mails over ${sessions} sessions, medians of ${rounds} rounds; ratio of the rounds: ${ratio}; of two boxes to one: ${ofTwoBoxes}`,
        columns: ['engine', 'delivered/s', 'CPU ms a mail', 'server CPU ms'],
        rows: rowsOf(taken),
      },
      {
        title: `Mail out by REST, ${SENDS} sends to 64 destinations; ratio of the rounds: ${ratioOut}; of two boxes to one: ${outOfTwo}`,
        columns: ['engine', 'received/s', 'CPU ms a mail', 'server CPU ms'],
        rows: rowsOf(sent),
      },
      {
        title: `Milliseconds of a request with ${MAILS} mails`,
        columns: ['request', 'SQLite median', 'p99', 'PostgreSQL median', 'p99'],
        rows: answers.map(({ kind, SQLite, PostgreSQL }) => [
          kind,
          ...[SQLite.median, SQLite.p99, PostgreSQL.median, PostgreSQL.p99].map(threeDigits),
        ]),
      },
    ],
    document: { mails: MAILS, taken, sent, ratio, ofTwoBoxes, ratioOut, outOfTwo, answers },
    figures: {
      'in on PostgreSQL, to SQLite': { value: ratio, goal: 0.6 },
      'a list or read on PostgreSQL, ms more at p99': {
        value: worst(false, (each) => each.PostgreSQL.p99 - each.SQLite.p99),
        goal: 2,
        isLessBetter: true,
      },
      'a search on PostgreSQL, ms at p99': {
        value: worst(true, (each) => each.PostgreSQL.p99),
        goal: 200,
        isLessBetter: true,
      },
    },
  };
};

export const boxes: Bench = {
  name: 'boxes',
  summary: 'mail in and out, lists and searches of a box on PostgreSQL, beside one on SQLite',
  run,
};

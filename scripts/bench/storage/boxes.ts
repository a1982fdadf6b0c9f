/** What PostgreSQL costs beside the SQLite file: mail in, lists, reads and searches of one box on each, by turns. */

import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../../test/harness/postgres/postgres-server.ts';
import type { Bench } from '../bench.ts';
import { playRound, WARM_UP_MESSAGES } from '../inbound.ts';
import { type Percentiles, percentilesOf } from '../percentiles.ts';
import { type PostroomContestant, startPostroom } from '../postroom.ts';
import { familyCpuSeconds } from '../process-usage.ts';
import { type Ask, createAsk, fillMailbox } from '../search/asked-mailbox.ts';
import { MAIL_KINDS, type Sample } from '../search/mail-requests.ts';
import { createSender } from '../sender.ts';
import { median, threeDigits } from '../table.ts';

/** In the mailbox that is asked, unless $BENCH_MAILS says another number. */
const MAILS = Number(process.env.BENCH_MAILS ?? 10_000);
const KIND = { mail: 'unsigned', connections: 'kept' } as const;
const ENGINES = ['SQLite', 'PostgreSQL'] as const;
type Engine = (typeof ENGINES)[number];
const REQUESTS = 300;
const WARM_UP = 30;
const SAMPLES = 100;
/** Until the warm-up's indexing and PostgreSQL's own tidying are over. */
const SETTLE_MS = 3_000;

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
  const most = (REQUESTS + WARM_UP) * Object.keys(MAIL_KINDS).length;
  return { ask: await createAsk(instance, 'bob', most, signal), sample };
};

const run: Bench['run'] = async ({ rounds, messages, sessions }, signal, say) => {
  await using cleanUp = new AsyncDisposableStack();
  const server = cleanUp.use(await startPostgres(undefined, true));
  const boxes = {
    SQLite: cleanUp.use(await startPostroom(null)),
    PostgreSQL: cleanUp.use(await startPostroom(null, { storageUrl: server.url })),
  };
  const serverSeconds = (engine: Engine): number => (engine === 'PostgreSQL' ? familyCpuSeconds(server.pid) : 0);
  const play = async (engine: Engine, count: number, marker: string) => {
    const box = boxes[engine];
    const { instance } = box.harness;
    const sender = await createSender(instance.dns.zone);
    const needs = { to: instance.agents.ann.address, sender, sessions, signal };
    const before = serverSeconds(engine);
    const { deliveredPerSecond, cpuSeconds } = await playRound(box, KIND, count, marker, needs);
    const ofServer = serverSeconds(engine) - before;
    return { perSecond: deliveredPerSecond, cpuMs: (cpuSeconds * 1_000) / count, serverMs: (ofServer * 1_000) / count };
  };

  const asked = {} as Record<Engine, Asked>;
  for (const engine of ENGINES) {
    asked[engine] = await fill(boxes[engine], signal);
    await play(engine, WARM_UP_MESSAGES, `warmup${engine}`);
    say(`${engine}: ${MAILS} mails are stored`);
  }
  await sleep(SETTLE_MS, undefined, { signal });
  const taken: Record<Engine, Awaited<ReturnType<typeof play>>[]> = { SQLite: [], PostgreSQL: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const engine of ENGINES) {
      const figures = await play(engine, messages, `round${round}${engine}`);
      taken[engine].push(figures);
      say(`${round} ${engine}: ${Math.round(figures.perSecond)} mails a second`);
    }
  }

  const answers: { kind: string; isSearch: boolean; SQLite: Percentiles; PostgreSQL: Percentiles }[] = [];
  for (const [kind, { group, path }] of Object.entries(MAIL_KINDS)) {
    // Reads want the bytes of mails, which those that are stored here have not.
    if (kind === 'read a message') continue;
    const times: Record<Engine, number[]> = { SQLite: [], PostgreSQL: [] };
    for (let turn = 0; turn < REQUESTS + WARM_UP; turn += 1) {
      for (const engine of ENGINES) {
        const { ask, sample } = asked[engine];
        const took = await ask(path(turn, sample));
        if (turn >= WARM_UP) times[engine].push(took);
      }
    }
    const figures = { SQLite: percentilesOf(times.SQLite), PostgreSQL: percentilesOf(times.PostgreSQL) };
    answers.push({ kind, isSearch: group === 'search', ...figures });
    say(`${kind}: ${threeDigits(figures.SQLite.p99)} and ${threeDigits(figures.PostgreSQL.p99)} ms at p99`);
  }

  const medianOf = (engine: Engine, name: 'perSecond' | 'cpuMs' | 'serverMs') =>
    threeDigits(median(taken[engine].map((each) => each[name])));
  const ratio = threeDigits(
    median(taken.PostgreSQL.map(({ perSecond }, round) => perSecond / (taken.SQLite[round]?.perSecond ?? Number.NaN))),
  );
  const worst = (isSearch: boolean, of: (each: (typeof answers)[number]) => number) =>
    threeDigits(Math.max(...answers.filter((each) => each.isSearch === isSearch).map(of)));
  return {
    tables: [
      {
        title: `Mail in, ${messages} mails over ${sessions} sessions, medians of ${rounds} rounds; ratio of the rounds: ${ratio}`,
        columns: ['engine', 'delivered/s', 'CPU ms a mail', 'server CPU ms'],
        rows: ENGINES.map((engine) => [
          engine,
          ...[medianOf(engine, 'perSecond'), medianOf(engine, 'cpuMs'), medianOf(engine, 'serverMs')],
        ]),
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
    document: { mails: MAILS, taken, ratio, answers },
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
  summary: 'mail in, lists and searches of a box on PostgreSQL, beside one on SQLite',
  run,
};

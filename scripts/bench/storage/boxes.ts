/** What PostgreSQL costs beside the SQLite file: mail in, lists, reads and searches of one box on each, by turns. */

import { setTimeout as sleep } from 'node:timers/promises';
import { systemRuntime } from '../../../src/app/instance.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { startPostgres } from '../../../test/harness/postgres/postgres-server.ts';
import { storeMails } from '../../../test/harness/stored-mail.ts';
import type { Bench } from '../bench.ts';
import { playRound, WARM_UP_MESSAGES } from '../inbound.ts';
import { type Percentiles, percentilesOf } from '../percentiles.ts';
import { type PostroomContestant, startPostroom } from '../postroom.ts';
import { familyCpuSeconds } from '../process-usage.ts';
import { MAIL_KINDS, mailAt, type Sample } from '../search/mail-requests.ts';
import { createSender } from '../sender.ts';
import { median, threeDigits } from '../table.ts';

/** In the mailbox that is asked, unless $BENCH_MAILS says another number. */
const MAILS = Number(process.env.BENCH_MAILS ?? 10_000);
const KIND = { mail: 'unsigned', connections: 'kept' } as const;
const ENGINES = ['SQLite', 'PostgreSQL'] as const;
type Engine = (typeof ENGINES)[number];
const REQUESTS = 300;
const WARM_UP = 30;
/** A key makes 300 requests a minute. */
const REQUESTS_OF_KEY = 200;
const SAMPLES = 100;
/** Until the warm-up's indexing and PostgreSQL's own tidying are over. */
const SETTLE_MS = 3_000;

interface Asked {
  readonly keys: readonly string[];
  readonly sample: Sample;
  requests: number;
}

const fill = async ({ harness: { instance } }: PostroomContestant, signal: AbortSignal): Promise<Asked> => {
  const { clock, random } = systemRuntime;
  const newId = createIdSource(clock, random);
  const keys = await instance.inStore(async (store) => {
    const agent = await findAgent(store.read, 'bob');
    if (!agent) throw new Error('No agent.');
    await storeMails(store, newId, agent.mailboxId, MAILS, mailAt);
    const wanted = { agentId: agent.id, name: 'bench', scopes: null, reach: 'own' as const, expiresAt: null };
    const count = ((REQUESTS + WARM_UP) * Object.keys(MAIL_KINDS).length) / REQUESTS_OF_KEY + 1;
    const made: string[] = [];
    for (let at = 0; at < count; at += 1)
      made.push((await store.write((tx) => addKey({ clock, newId }, tx, wanted))).key);
    return made;
  });
  signal.throwIfAborted();
  const { messages } = await instance.client(instance.agents.bob).messages.list({ limit: SAMPLES });
  const sample = {
    mails: MAILS,
    messageIds: messages.map(({ id }) => id),
    threadIds: messages.flatMap(({ thread_id }) => thread_id ?? []),
  };
  return { keys, sample, requests: 0 };
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

  const ask = async (engine: Engine, path: string): Promise<number> => {
    const of = asked[engine];
    const authorization = `Bearer ${of.keys[Math.floor(of.requests++ / REQUESTS_OF_KEY)]}`;
    const began = performance.now();
    const url = new URL(path, boxes[engine].harness.instance.baseUrl);
    const response = await fetch(url, { headers: { authorization }, signal });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return performance.now() - began;
  };
  const answers: { kind: string; isSearch: boolean; SQLite: Percentiles; PostgreSQL: Percentiles }[] = [];
  for (const [kind, { group, path }] of Object.entries(MAIL_KINDS)) {
    // Reads want the bytes of mails, which those that are stored here have not.
    if (kind === 'read a message') continue;
    const times: Record<Engine, number[]> = { SQLite: [], PostgreSQL: [] };
    for (let turn = 0; turn < REQUESTS + WARM_UP; turn += 1) {
      for (const engine of ENGINES) {
        const took = await ask(engine, path(turn, asked[engine].sample));
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

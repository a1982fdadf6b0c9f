/**
 * Search: how well passages are ranked, and what lists, reads and searches cost in a mailbox of ten thousand mails and in one
 * of a million, request by request by turns, so that both see the same machine.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openInstance } from '../../../src/app/instance.ts';
import { idFromBytes, idToBytes, type WorkspaceId } from '../../../src/kernel/ids.ts';
import { compress } from '../../../src/workers/compression.ts';
import type { TestInstance } from '../../../test/harness/instance.ts';
import { startProcessBox } from '../../../test/harness/process.ts';
import type { Bench } from '../bench.ts';
import { type Percentiles, percentilesOf } from '../percentiles.ts';
import { type Ask, createAsk, fillMailbox, withAgent } from './asked-mailbox.ts';
import { storeDocuments } from './knowledge-store.ts';
import { type Kind, MAIL_KINDS, type Sample } from './mail-requests.ts';
import { measureRetrieval } from './retrieval.ts';

const FEW = 10_000;
/** Of the large mailbox, unless $BENCH_MAILS says another number. */
const MANY = Number(process.env.BENCH_MAILS ?? 1_000_000);
const PASSAGES = Number(process.env.BENCH_PASSAGES ?? 200_000);
/**
 * Requests of each kind. The p99 of a list or a read, which take a millisecond, is the thirtieth slowest of 3 000: the third
 * slowest of 300 is as often the machine's as the product's.
 */
const REQUESTS: Readonly<Record<Kind['group'], number>> = { list: 3_000, read: 3_000, search: 300 };
const WARM_UP = 50;
const SAMPLES = 500;

interface Mailbox {
  readonly ask: Ask;
  readonly sample: Sample;
}

/** @returns a sample of its mails, which have their bytes */
const fill = async (instance: TestInstance, handle: string, mails: number): Promise<Sample> => {
  await fillMailbox(instance, handle, mails);
  return withAgent(instance, handle, async ({ store }, { mailboxId }) => {
    const rows = await store.read
      .selectFrom('messages')
      .select(['id', 'thread_id', 'raw_id'])
      .where('mailbox_id', '=', idToBytes(mailboxId))
      .orderBy('created_at', 'desc')
      .limit(SAMPLES)
      .execute();
    const mime = compress(
      Buffer.from('From: carol@remote.test\r\nSubject: Bench\r\n\r\nMany regards from the office.\r\n'),
    );
    await store.write(async (tx) => {
      for (const { raw_id } of rows)
        await tx.db.updateTable('raw_messages').set({ mime }).where('id', '=', raw_id).execute();
    });
    return {
      mails,
      messageIds: rows.map(({ id }) => idFromBytes(id)),
      threadIds: rows.map(({ thread_id }) => idFromBytes(thread_id)),
    };
  });
};

/** Pages of a few passages, of words as often as words are in a language: the tenth word is ten times rarer than the first. */
function* documents(passages: number) {
  const word = (n: number): string => `w${n.toString(36)}`;
  let state = 1;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const text = (): string => Array.from({ length: 130 }, () => word(Math.floor(50_000 ** random()))).join(' ');
  for (let at = 0; at * 5 < passages; at += 1) {
    const sections = [1, 2, 3, 4, 5].map((n) => `## Part ${n}\n\n${text()}`);
    yield { name: `https://bench.test/${at}`, title: `Page ${word(at)}`, text: sections.join('\n\n') };
  }
}

const fillKnowledge = async (instance: TestInstance, workspaceId: WorkspaceId): Promise<void> => {
  const { store, close } = await openInstance(instance.config);
  await storeDocuments(store, workspaceId, documents(PASSAGES));
  await close();
};

const rounded = (value: number): number => Number(value.toFixed(2));
const run: Bench['run'] = async ({ only }, signal, say) => {
  const quality = await measureRetrieval();
  say(`nDCG@10: ${quality.qualities.map(({ ranking, ndcgAtTen }) => `${ranking} ${ndcgAtTen.toFixed(3)}`).join(', ')}`);
  const qualityTable = {
    title: `nDCG@10 on Cranfield, ${quality.passages} passages`,
    columns: ['ranking', 'nDCG@10'],
    rows: quality.qualities.map(({ ranking, ndcgAtTen }) => [ranking, Number(ndcgAtTen.toFixed(4))]),
  };
  if (only.includes('quality')) return { tables: [qualityTable], document: { quality } };

  const delayFile = join(process.env.TMPDIR ?? '/tmp', `postroom-bench-delay-${process.pid}.json`);
  process.env.BENCH_LOOP_DELAY = delayFile;
  await using box = await startProcessBox({}, [`--import=${join(import.meta.dirname, '../loop-delay.ts')}`]);
  const { instance } = box;
  const kinds = Object.entries(MAIL_KINDS);
  const requests = kinds.reduce(
    (sum, [, { group }]) => sum + REQUESTS[group] + WARM_UP,
    3 * (REQUESTS.search + WARM_UP),
  );
  const prepare = async (handle: string, mails: number): Promise<Mailbox> => {
    const sample = await fill(instance, handle, mails);
    return { sample, ask: await createAsk(instance, handle, requests, signal) };
  };
  const began = performance.now();
  const mailboxes = {
    few: await prepare('bob', FEW),
    many: await prepare('ann', MANY),
  };
  say(`${MANY} mails were stored in ${Math.round((performance.now() - began) / 1000)} s`);
  await fillKnowledge(instance, instance.workspace.id);
  say(`and ${PASSAGES} passages by ${Math.round((performance.now() - began) / 1000)} s`);

  const measure = async (
    pathOf: (turn: number, mailbox: Mailbox) => string,
    of: readonly Mailbox[],
    count = REQUESTS.search,
  ) => {
    const times = of.map((): number[] => []);
    for (let turn = 0; turn < count + WARM_UP; turn += 1) {
      for (const [index, mailbox] of of.entries()) {
        const took = await mailbox.ask(pathOf(turn, mailbox));
        if (turn >= WARM_UP) times[index]?.push(took);
      }
    }
    return times.map(percentilesOf);
  };

  process.kill(box.daemon.pid, 'SIGUSR2');
  await sleep(500);
  const results: { kind: string; few: Percentiles; many: Percentiles }[] = [];
  for (const [kind, { group, path }] of kinds) {
    const of = [mailboxes.few, mailboxes.many];
    const [few, many] = await measure((turn, { sample }) => path(turn, sample), of, REQUESTS[group]);
    if (!few || !many) continue;
    results.push({ kind, few, many });
    say(`${kind}: ${rounded(few.p99)} and ${rounded(many.p99)} ms at p99`);
  }
  const word = (n: number): string => `w${n.toString(36)}`;
  const knowledge: { kind: string; figures: Percentiles }[] = [];
  const asked: [string, (turn: number) => string][] = [
    ['knowledge, rare words', (turn) => `${word(20_000 + turn)} ${word(30_000 + turn * 3)} ${word(9_000 + turn)}`],
    ['knowledge, a common and rare words', (turn) => `${word(1)} ${word(2)} ${word(400 + turn)} ${word(8_000 + turn)}`],
    ['knowledge, common words', () => [1, 2, 3, 4, 5, 6].map(word).join(' ')],
  ];
  for (const [kind, queryOf] of asked) {
    const [figures] = await measure((turn) => `/v1/knowledge?q=${encodeURIComponent(queryOf(turn))}`, [mailboxes.many]);
    if (!figures) continue;
    knowledge.push({ kind, figures });
    say(`${kind}: ${rounded(figures.p99)} ms at p99`);
  }
  process.kill(box.daemon.pid, 'SIGUSR2');
  await sleep(500);
  const loop = JSON.parse(readFileSync(delayFile, 'utf8')) as Record<
    'delay' | 'work',
    Record<'median' | 'p99' | 'worst', number>
  >;
  return {
    tables: [
      qualityTable,
      {
        title: `Milliseconds of a request with ${FEW} and with ${MANY} mails, and the ratio of the p99s`,
        columns: ['request', 'few median', 'few p99', 'many median', 'many p99', 'p99s'],
        rows: results.map(({ kind, few, many }) => [
          kind,
          ...[few.median, few.p99, many.median, many.p99, many.p99 / few.p99].map(rounded),
        ]),
      },
      {
        title: `Milliseconds of a knowledge search over ${PASSAGES} passages`,
        columns: ['query', 'median', 'p99'],
        rows: knowledge.map(({ kind, figures }) => [kind, rounded(figures.median), rounded(figures.p99)]),
      },
      {
        title: 'The event loop meanwhile, in milliseconds',
        columns: ['of a tick', 'median', 'p99', 'worst'],
        rows: [
          ['delay', ...[loop.delay.median, loop.delay.p99, loop.delay.worst].map(rounded)],
          ['processor time', ...[loop.work.median, loop.work.p99, loop.work.worst].map(rounded)],
        ],
      },
    ],
    document: {
      machine: { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), load: loadavg(), node: process.version },
      quality,
      mails: { few: FEW, many: MANY },
      results,
      passages: PASSAGES,
      knowledge,
      loop,
    },
  };
};

export const search: Bench = {
  name: 'search',
  summary: 'how well passages are ranked; lists, reads and searches at 10 000 and 1 000 000 mails',
  run,
};

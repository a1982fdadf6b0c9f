/**
 * What the built server takes before it has done anything: until it is ready, with nothing stored and with a million mails,
 * and of memory at rest.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../../../src/store/sqlite/open-database.ts';
import { createStateReader, openIndexForReading } from '../../../src/store/sqlite/text-index/index-file.ts';
import { startInstance, type TestInstance } from '../../../test/harness/instance.ts';
import { builtServer, spawnDaemon } from '../../../test/harness/process.ts';
import type { Bench } from '../bench.ts';
import { residentMebibytes } from '../process-usage.ts';
import { fillMailbox } from '../search/asked-mailbox.ts';
import { median, threeDigits } from '../table.ts';

/** Of the large store, unless $BENCH_MAILS says another number. */
const MAILS = Number(process.env.BENCH_MAILS ?? 1_000_000);
const REST_MS = 60_000;
const LOOK_MS = 1_000;

/** Lets a daemon run until all texts are in the index, as they are on a server that has run for a while. */
const indexAll = async ({ configPath, directory }: TestInstance, signal: AbortSignal): Promise<void> => {
  const file = join(directory, 'data', 'postroom.db');
  const data = openConnection(file, 'read');
  const newest = data.prepare('select max(seq) from messages').pluck().get();
  const daemon = spawnDaemon(configPath);
  try {
    await daemon.ready;
    for (let position: number | undefined; position !== newest; await sleep(LOOK_MS, undefined, { signal })) {
      const index = openIndexForReading(file);
      if (index) position = createStateReader(data, index)()?.position;
      index?.close();
    }
  } finally {
    data.close();
    await daemon.end('SIGTERM');
  }
};

const run: Bench['run'] = async ({ rounds }, signal, say) => {
  await using empty = await startInstance();
  await using full = await startInstance();
  for (const { daemon } of [empty, full]) await daemon.stop();
  builtServer();
  const began = performance.now();
  await fillMailbox(full, 'ann', MAILS);
  await indexAll(full, signal);
  say(`${MAILS} mails were stored and indexed in ${Math.round((performance.now() - began) / 1_000)} s`);
  const seconds = { empty: [] as number[], full: [] as number[] };
  let mebibytes = Number.NaN;
  for (let round = 1; round <= rounds; round += 1) {
    for (const [kind, { configPath }] of [['full', full] as const, ['empty', empty] as const]) {
      const start = performance.now();
      const daemon = spawnDaemon(configPath);
      try {
        await daemon.ready;
        seconds[kind].push((performance.now() - start) / 1_000);
        if (kind === 'empty' && round === rounds) {
          await sleep(REST_MS, undefined, { signal });
          mebibytes = residentMebibytes(daemon.pid);
        }
      } finally {
        await daemon.end('SIGTERM');
      }
    }
  }
  const ready = threeDigits(median(seconds.empty));
  const readyFull = threeDigits(median(seconds.full));
  say(`ready after ${ready} s, with ${MAILS} mails after ${readyFull} s; ${mebibytes} MiB at rest`);
  const columns = ['ready after s', `with ${MAILS} mails`, 'MiB at rest'];
  return {
    tables: [{ title: 'The built server', columns, rows: [[ready, readyFull, mebibytes]] }],
    document: { ready, mails: MAILS, readyFull, mebibytes },
    figures: {
      'ready, s': { value: ready, goal: 1, isLessBetter: true },
      [`ready with ${MAILS} mails, s`]: { value: readyFull, goal: 1, isLessBetter: true },
      'idle, MiB': { value: mebibytes, goal: 130, isLessBetter: true },
    },
  };
};

export const idle: Bench = {
  name: 'idle',
  summary: 'the built server: seconds until it is ready, also with 1 000 000 mails, and memory a minute after',
  run,
};

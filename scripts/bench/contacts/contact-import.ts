/** The event loop's delay, and the time a mail takes to be accepted, while an agent imports 50 000 contacts in one call. */

import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessBox, startProcessBox } from '../../../test/harness/process.ts';
import { sendMail } from '../../../test/harness/smtp/send-mail.ts';
import type { Bench } from '../bench.ts';
import type { Percentiles } from '../percentiles.ts';

const ROWS = 50_000;
/** Between two mails. */
const MAIL_EVERY_MS = 50;

/** Between two ticks, in milliseconds: `work` is the loop's own processor time, which a busy machine does not stretch. */
interface LoopDelay {
  delay: Percentiles;
  work: Percentiles;
}

/** What the daemon's loop was delayed by since it was last asked, in milliseconds. */
const takeDelays = async ({ daemon }: ProcessBox, file: string, signal: AbortSignal): Promise<LoopDelay> => {
  rmSync(file, { force: true });
  process.kill(daemon.pid, 'SIGUSR2');
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as LoopDelay;
    } catch {
      await sleep(5, undefined, { signal });
    }
  }
};

const csvOf = (rows: number): string =>
  [
    'Email,First Name,Last Name,Company,Job Title,Phone,Notes',
    ...Array.from(
      { length: rows },
      (_, at) =>
        `person${at}@company${at % 997}.example,Ann${at},Lee,"Company ${at % 997}, Inc.",Buyer,+41 44 668 18 00,"Met\r\nat a fair"`,
    ),
  ].join('\r\n');

/** Sends mails until `isOver`. @returns how long each took, in milliseconds, in ascending order */
const sendMails = async ({ instance }: ProcessBox, isOver: () => boolean): Promise<number[]> => {
  const times: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    await sendMail(instance.smtpPort, { to: [instance.agents.bob.address] });
    times.push(performance.now() - began);
    await sleep(MAIL_EVERY_MS);
  }
  return times.sort((one, other) => one - other);
};

const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;

const run: Bench['run'] = async (_settings, signal, say) => {
  const file = join(tmpdir(), `postroom-loop-delay-${process.pid}.json`);
  process.env.BENCH_LOOP_DELAY = file;
  await using box = await startProcessBox({}, ['--import', new URL('../loop-delay.ts', import.meta.url).href]);
  const { instance } = box;
  const csv = csvOf(ROWS);
  let isIdle = false;
  const idle = sendMails(box, () => isIdle);
  await sleep(3_000, undefined, { signal });
  await takeDelays(box, file, signal);
  await sleep(5_000, undefined, { signal });
  const before = await takeDelays(box, file, signal);
  isIdle = true;
  const beforeTimes = await idle;
  let isOver = false;
  const mails = sendMails(box, () => isOver);
  await takeDelays(box, file, signal);
  const began = performance.now();
  const reply = await instance.request(instance.agents.ann, 'POST', '/v1/contacts/import', { csv, list_name: 'All' });
  const { created } = (await reply.json()) as { created: number };
  const seconds = (performance.now() - began) / 1_000;
  const during = await takeDelays(box, file, signal);
  isOver = true;
  const times = await mails;
  if (created !== ROWS) throw new Error(`${created} of ${ROWS} contacts were created.`);
  say(`${ROWS} contacts in ${seconds.toFixed(1)} s, ${times.length} mails meanwhile`);
  const row = (name: string, { delay, work }: LoopDelay, sent: readonly number[]) => [
    name,
    ...[delay.median, delay.p99, delay.worst, work.median, work.p99, work.worst].map((ms) => ms.toFixed(1)),
    ...[percentile(sent, 50), percentile(sent, 99)].map((ms) => ms.toFixed(1)),
  ];
  const columns = ['', 'delay p50 ms', 'p99', 'worst', 'work p50 ms', 'p99', 'worst', 'mail p50 ms', 'p99'];
  return {
    tables: [
      {
        title: `The daemon while ${ROWS} contacts are imported, and a mail comes every ${MAIL_EVERY_MS} ms`,
        columns,
        rows: [row('mail alone', before, beforeTimes), row('mail and import', during, times)],
      },
    ],
    document: { rows: ROWS, seconds, before, during, mails: times.length },
  };
};

export const contactImport: Bench = {
  name: 'contact-import',
  summary: 'mail beside an import of 50 000 contacts',
  run,
};

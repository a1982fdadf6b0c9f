/**
 * What a delivery costs while much else is in the queue: nothing else, 200 000 rows whose time has not come, and 200 000
 * that are due for a host that is down. Each in a daemon of its own, by turns.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { HOUR, type Millis } from '../../src/kernel/clock.ts';
import { REMOTE_DOMAIN } from '../../test/harness/instance.ts';
import type { ProcessBox } from '../../test/harness/process.ts';
import { eventually } from '../../test/harness/smtp/send-mail.ts';
import type { Bench } from './bench.ts';
import { cpuSeconds } from './process-usage.ts';
import { startProfiled } from './profiled.ts';
import { type SmtpSink, startSmtpSink } from './sending/smtp-sink.ts';
import { median } from './table.ts';

const FEW = 200;
const MANY = 200_000;
/** As a mail of the product has at most. */
const RECIPIENTS = 5;
const WARM_UP = 500;
const POLL_MS = 10;
const TAKEN_WITHIN_MS = 120_000;
const DOWN_DOMAIN = 'down.test';

interface Contestant {
  readonly name: string;
  readonly rows: number;
  /** Whose rows they are; the deliveries that are measured are bob's. */
  readonly owner: 'ann' | 'bob';
  readonly domain: string;
  /** From now. */
  readonly dueIn: Millis;
}

const CONTESTANTS: readonly Contestant[] = [
  { name: 'few', rows: FEW, owner: 'ann', domain: DOWN_DOMAIN, dueIn: HOUR },
  { name: 'waiting', rows: MANY, owner: 'ann', domain: DOWN_DOMAIN, dueIn: HOUR },
  { name: 'due', rows: MANY, owner: 'ann', domain: DOWN_DOMAIN, dueIn: 0 },
];

interface Queue extends Disposable {
  /** Rows for mails of their own, {@link RECIPIENTS} each, copied from one that was really sent. */
  put(rows: number, to: Pick<Contestant, 'owner' | 'domain' | 'dueIn'>): void;
  /** Rows of a domain that are in the queue and were attempted. */
  attempted(domain: string): number;
}

/** Works on the data file beside the daemon, or while there is none. */
const openQueue = (path: string, sent: Readonly<Record<Contestant['owner'], string>>): Queue => {
  const data = new Database(path, { timeout: 30_000 });
  const columns = (data.pragma('table_info(messages)') as { name: string }[]).map(({ name }) => name);
  const copied = columns.filter((name) => !['seq', 'id', 'created_at'].includes(name)).join(', ');
  const copyMails = data.prepare(`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < @mails)
    insert into messages (id, created_at, ${copied})
    select randomblob(16), (select max(created_at) from messages) + n, ${copied} from numbers, messages
    where messages.id = @sent`);
  const insertRows = data.prepare(`
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${RECIPIENTS} - 1)
    insert into deliveries (id, message_id, mailbox_id, position, address, domain, status, created_at, next_attempt_at, due_at)
    select randomblob(16), messages.id, mailbox_id, n, 'r' || messages.seq || '-' || n || '@' || @domain, @domain,
      'queued', @now, @dueAt, @dueAt
    from messages, numbers where messages.seq > @after`);
  const lastMail = data.prepare('select coalesce(max(seq), 0) from messages').pluck();
  const attempted = data
    .prepare('select count(*) from deliveries where next_attempt_at is not null and attempts > 0 and domain = ?')
    .pluck();
  return {
    put: data.transaction((rows: number, { owner, domain, dueIn }: Pick<Contestant, 'owner' | 'domain' | 'dueIn'>) => {
      const after = lastMail.get();
      const now = Date.now();
      copyMails.run({ mails: Math.ceil(rows / RECIPIENTS), sent: Buffer.from(sent[owner].replaceAll('-', ''), 'hex') });
      insertRows.run({ domain, now, dueAt: now + dueIn, after });
    }),
    attempted: (domain) => Number(attempted.get(domain)),
    [Symbol.dispose]: () => {
      data.close();
    },
  };
};

const sendOne = async ({ instance }: ProcessBox, owner: Contestant['owner'], sink: SmtpSink): Promise<string> => {
  const before = sink.taken();
  const body = 'The words of a mail that says nothing else to anybody.\n'.repeat(70);
  const client = instance.client(instance.agents[owner]);
  const { messageId } = await client.messages.send({ to: [`first@${REMOTE_DOMAIN}`], subject: 'Queued', body });
  await eventually(async () => sink.taken() > before);
  return messageId ?? '';
};

const start = async (contestant: Contestant, profile: string | null) => {
  const cleanUp = new AsyncDisposableStack();
  const sink = cleanUp.use(await startSmtpSink());
  const harness = cleanUp.use(await startProfiled(profile, { outbound: `port = ${sink.port}` }));
  const { zone } = harness.instance.dns;
  zone.set(DOWN_DOMAIN, 'MX', [{ exchange: 'mx.down.test', priority: 10 }]);
  zone.set('mx.down.test', 'A', ['127.0.0.99']);
  const sent = { ann: await sendOne(harness, 'ann', sink), bob: await sendOne(harness, 'bob', sink) };
  const queue = cleanUp.use(openQueue(join(harness.instance.directory, 'data', 'postroom.db'), sent));
  return {
    name: contestant.name,
    fill: () => queue.put(contestant.rows, contestant),
    /** One round: so many deliveries that are due now, timed from the first to the last that arrives. */
    play: async (messages: number) => {
      const before = sink.taken();
      const cpuBefore = cpuSeconds(harness.daemon.pid);
      queue.put(messages, { owner: 'bob', domain: REMOTE_DOMAIN, dueIn: 0 });
      const end = performance.now() + TAKEN_WITHIN_MS;
      let began = 0;
      for (let taken = 0; taken < messages; ) {
        taken = sink.taken() - before;
        if (taken > 0 && began === 0) began = performance.now();
        if (performance.now() > end) throw new Error(`${taken} of ${messages} mails came.`);
        await sleep(POLL_MS);
      }
      return {
        queue: contestant.name,
        deliveredPerSecond: Math.round((messages * 1_000) / (performance.now() - began)),
        cpuMsPerDelivery: Math.round(((cpuSeconds(harness.daemon.pid) - cpuBefore) * 100_000) / messages) / 100,
        attemptedElsewhere: queue.attempted(DOWN_DOMAIN),
      };
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
};

const run: Bench['run'] = async ({ rounds, messages, only, profile }, signal, say) => {
  await using cleanUp = new AsyncDisposableStack();
  const chosen = CONTESTANTS.filter(({ name }) => only.length === 0 || only.includes(name));
  const queues: Awaited<ReturnType<typeof start>>[] = [];
  for (const contestant of chosen) queues.push(cleanUp.use(await start(contestant, profile)));
  for (const queue of queues) await queue.play(WARM_UP);
  for (const queue of queues) queue.fill();
  const figures: (Awaited<ReturnType<(typeof queues)[number]['play']>> & { round: number })[] = [];
  for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
    for (const queue of queues) {
      const each = await queue.play(messages);
      figures.push({ round, ...each });
      say(`${round} ${each.queue}: ${each.cpuMsPerDelivery} ms of CPU a delivery, ${each.deliveredPerSecond} a second`);
    }
  }
  const costs = (name: string) => figures.filter(({ queue }) => queue === name).map((each) => each.cpuMsPerDelivery);
  const ratios = chosen.map(({ name, rows }) => {
    const pairs = costs(name).map((cost, at) => cost / (costs('few')[at] ?? Number.NaN));
    return { queue: name, rows, ratio: Math.round(median(pairs) * 100) / 100, cpuMs: median(costs(name)) };
  });
  return {
    tables: [
      {
        title: `Rounds of ${messages} deliveries`,
        columns: ['round', 'queue', 'delivered/s', 'CPU ms each', 'attempted elsewhere'],
        rows: figures.map((each) => [
          ...[each.round, each.queue, each.deliveredPerSecond, each.cpuMsPerDelivery],
          each.attemptedElsewhere,
        ]),
      },
      {
        title: 'CPU of a delivery, medians; ratio is the median of each round’s own to that with few rows',
        columns: ['queue', 'rows', 'CPU ms', 'ratio'],
        rows: ratios.map(({ queue, rows, cpuMs, ratio }) => [queue, rows, cpuMs, ratio]),
      },
    ],
    document: { rounds: figures, ratios },
  };
};

export const queue: Bench = {
  name: 'queue',
  summary: 'what a delivery costs with 200 and with 200 000 rows in the queue, waiting or due for a host that is down',
  run,
};

/**
 * Webhook deliveries: how many a second leave a full queue, and how long after its 250 a mail's event is at the receiver,
 * alone and beside an endpoint that never answers and has 10 000 events waiting. The receiver speaks HTTPS and runs here,
 * on the same machine.
 */

import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type HttpReceiver, startHttpReceiver } from '../../test/harness/http/http-receiver.ts';
import { envelopeIn, HOOKS, trustReceivers } from '../../test/harness/http/webhooks.ts';
import type { ProcessBox } from '../../test/harness/process.ts';
import { sendMail } from '../../test/harness/smtp/send-mail.ts';
import type { Bench } from './bench.ts';
import { type Percentiles, percentilesOf } from './percentiles.ts';
import { startProfiled } from './profiled.ts';

/** Deliveries that stand in a queue for the throughput. */
const QUEUED = 5_000;
/** What waits for the endpoint that never answers. */
const BEHIND_DEAD = 10_000;
/** Mails measured for their latency at once: as agents get mail, not as a flood. */
const SENDERS = 4;
const ARRIVED_WITHIN_MS = 60_000;

/** Puts events in an endpoint's queue while the daemon is down. */
const fillQueue = ({ instance }: ProcessBox, webhookId: string, name: string, count: number): void => {
  const data = new Database(join(instance.directory, 'data', 'postroom.db'));
  const workspace = Buffer.from(instance.workspace.id.replaceAll('-', ''), 'hex');
  const webhook = Buffer.from(webhookId.replaceAll('-', ''), 'hex');
  const event = data.prepare(
    'insert into events (id, workspace_id, mailbox_id, name, data, created_at) values (?, ?, null, ?, ?, ?)',
  );
  const waiting = data.prepare(
    'insert into webhook_deliveries (webhook_id, event_seq, attempts, next_attempt_at) values (?, ?, 0, ?)',
  );
  const fields = JSON.stringify({ message_id: crypto.randomUUID(), subject: 'A question', snippet: 'x'.repeat(150) });
  data.transaction(() => {
    for (let n = 0; n < count; n++) {
      const now = Date.now();
      const { lastInsertRowid } = event.run(`evt_${crypto.randomUUID()}`, workspace, name, fields, now);
      waiting.run(webhook, lastInsertRowid, now);
    }
  })();
  data.close();
};

const perSecond = (receiver: HttpReceiver, from: number): number => {
  const times = receiver.requests.slice(from).map(({ at }) => at);
  return ((times.length - 1) * 1000) / Math.max(1, (times.at(-1) ?? 0) - (times[0] ?? 0));
};

/** From the 250 that a client has to the request that the receiver has; one that comes before its 250 counts as 0. */
const measureLatency = async (
  { instance }: ProcessBox,
  receiver: HttpReceiver,
  mails: number,
  signal: AbortSignal,
): Promise<Percentiles> => {
  const from = receiver.requests.length;
  const marker = crypto.randomUUID();
  const accepted = new Map<string, number>();
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < mails && !signal.aborted) {
      const subject = `${marker} ${next++}`;
      await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: subject } });
      accepted.set(subject, Date.now());
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await receiver.waitFor(from + mails, ARRIVED_WITHIN_MS);
  const took = receiver.requests
    .slice(from)
    .map((request) => Math.max(0, request.at - (accepted.get(String(envelopeIn(request).data.subject)) ?? 0)));
  return percentilesOf(took);
};

const run: Bench['run'] = async ({ rounds, messages, seconds, profile }, signal, say) => {
  const end = performance.now() + seconds * 1000;
  await using receiver = await startHttpReceiver(HOOKS);
  await using silent = await startHttpReceiver(HOOKS);
  silent.answer(() => undefined);
  await using harness = await startProfiled(profile, { network: trustReceivers() });
  const { instance } = harness;
  instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
  const { webhooks } = instance.client(instance.agents.ann);
  const create = (port: number, event: 'message.received' | 'message.sent') =>
    webhooks.create({ url: `https://${HOOKS}:${port}/`, events: [event] });
  const living = await create(receiver.port, 'message.received');
  const mails = Math.min(messages, 300);

  const rates: number[] = [];
  for (let round = 1; round <= rounds && (round === 1 || performance.now() < end); round++) {
    await harness.daemon.end('SIGTERM');
    fillQueue(harness, living.id, 'message.received', QUEUED);
    const from = receiver.requests.length;
    await harness.start();
    await receiver.waitFor(from + QUEUED, ARRIVED_WITHIN_MS);
    rates.push(perSecond(receiver, from));
    say(`${round} ${QUEUED} queued: ${Math.round(rates.at(-1) ?? 0)} a second`);
  }

  await measureLatency(harness, receiver, SENDERS * 5, signal);
  const alone = await measureLatency(harness, receiver, mails, signal);
  say(`alone: median ${alone.median} ms, p99 ${alone.p99} ms`);
  const dead = await create(silent.port, 'message.sent');
  await harness.daemon.end('SIGTERM');
  fillQueue(harness, dead.id, 'message.sent', BEHIND_DEAD);
  await harness.start();
  await silent.waitFor(1, ARRIVED_WITHIN_MS);
  await measureLatency(harness, receiver, SENDERS * 5, signal);
  const beside = await measureLatency(harness, receiver, mails, signal);
  say(`beside: median ${beside.median} ms, p99 ${beside.p99} ms`);
  const { webhooks: all } = await webhooks.list({});
  const isStillOn = all.find(({ id }) => id === dead.id)?.active === true;

  const best = Math.max(...rates);
  const typical = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? Number.NaN;
  const row = (name: string, { median, p99, worst }: Percentiles) => [name, mails, median, p99, worst];
  return {
    tables: [
      {
        title: `Deliveries a second, ${QUEUED} queued for one endpoint over HTTPS`,
        columns: ['rounds', 'median', 'best'],
        rows: [[rates.length, Math.round(typical), Math.round(best)]],
      },
      {
        title: `From 250 on SMTP to the POST, in ms${isStillOn ? '' : ' (the dead endpoint was turned off meanwhile)'}`,
        columns: ['endpoints', 'mails', 'median', 'p99', 'worst'],
        rows: [row('one', alone), row(`beside a dead one with ${BEHIND_DEAD} waiting`, beside)],
      },
    ],
    document: {
      machine: { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), node: process.version },
      deliveriesPerSecond: { rounds: rates, median: typical, best },
      latencyMs: { mails, alone, besideDead: beside, deadIsStillOn: isStillOn },
    },
  };
};

export const webhooks: Bench = {
  name: 'webhooks',
  summary: 'webhook deliveries a second, and from 250 to POST, also beside a dead endpoint',
  run,
};

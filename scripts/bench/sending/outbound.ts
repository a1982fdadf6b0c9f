/**
 * Signed mails a second, from the hand of who sends them to the receiving host: for Postroom by submission, through its
 * gate, signed with RSA-2048 and Ed25519; for Postfix by SMTP, signed with RSA-2048 by OpenDKIM. Same client, same
 * receiver (smtp-sink), same disk, by turns.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '../../../src/kernel/address.ts';
import { generateDkimKey } from '../../../src/mail/auth/dkim-key.ts';
import { openSession, type SessionDestination } from '../../../src/net/smtp/smtp-client.ts';
import { REMOTE_DOMAIN } from '../../../test/harness/instance.ts';
import { selfSigned } from '../../../test/harness/net/certificate.ts';
import { freePort } from '../../../test/harness/net/free-port.ts';
import { startReceiver } from '../../../test/harness/smtp/mail-receiver.ts';
import { startOpendkim } from '../../../test/harness/smtp/opendkim.ts';
import { startPostfix } from '../../../test/harness/smtp/postfix.ts';
import type { Bench, BenchSettings } from '../bench.ts';
import { cpuSeconds, familyCpuSeconds } from '../process-usage.ts';
import { startProfiled } from '../profiled.ts';
import { BODY_BYTES, prose } from '../sender.ts';
import { median, threeDigits } from '../table.ts';
import { NO_TRIPWIRES } from './plans.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

const POLL_MS = 10;
const TAKEN_WITHIN_MS = 120_000;
const WARM_UP = 1_500;
/** Mails are numbered across rounds; that of the check is of a round of its own. */
const MOST_OF_ROUND = 1_000_000;
const CHECK = 1_000;

interface Server extends AsyncDisposable {
  readonly name: 'postroom' | 'postfix';
  readonly target: Omit<SessionDestination, 'localName'>;
  readonly sender: string;
  /** Of its DKIM signatures. */
  readonly algorithms: string;
  cpuSeconds(): number;
}

const startOurs = async (sinkPort: number, profile: string | null): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-bench-'));
  const { cert, key } = selfSigned('mx.box.test');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const port = await freePort();
  const harness = await startProfiled(profile, {
    plans: NO_TRIPWIRES,
    tls: `mode = "files"\ncert_file = "${folder}/cert.pem"\nkey_file = "${folder}/key.pem"`,
    toml: `[submission]\nlisten = ["127.0.0.1:${port}"]\n`,
    outbound: `port = ${sinkPort}`,
  });
  const { ann } = harness.instance.agents;
  const { pid } = harness.daemon;
  return {
    name: 'postroom',
    algorithms: 'ed25519-sha256 rsa-sha256',
    sender: ann.address,
    target: {
      host: { name: 'mx.box.test', address: '127.0.0.1' },
      port,
      tls: { kind: 'required', implicit: true, check: null, login: { user: ann.address, password: ann.key } },
    },
    cpuSeconds: () => cpuSeconds(pid),
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const startTheirs = async (sinkPort: number): Promise<Server> => {
  const { privateKey } = await generateDkimKey('rsa-sha256');
  await using cleanUp = new AsyncDisposableStack();
  const milter = cleanUp.use(await startOpendkim({ sign: { domain: 'sender.test', selector: 's', privateKey } }));
  const postfix = cleanUp.use(await startPostfix({ relayPort: sinkPort, milterPort: milter.port }));
  const started = cleanUp.move();
  return {
    name: 'postfix',
    algorithms: 'rsa-sha256',
    sender: 'ann@sender.test',
    target: { host: { name: 'mx.postfix.test', address: '127.0.0.1' }, port: postfix.port, tls: { kind: 'none' } },
    cpuSeconds: () => familyCpuSeconds(postfix.masterPid) + cpuSeconds(milter.pid),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

/** Prose with words of its own; those of one round are the same for both servers. */
const mailOf = (sender: string, to: string, number: number): Buffer => {
  const head = [`From: ${sender}`, `To: ${to}`, `Subject: Mail ${number}`, `Message-ID: <${number}@bench.test>`];
  const date = `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`;
  return Buffer.from([...head, date, '', prose(BODY_BYTES, number)].join('\r\n'));
};

/** Hands the mails in over so many sessions side by side; each recipient gets one. */
const handIn = async (
  { target, sender }: Server,
  round: number,
  messages: number,
  sessions: number,
  signal: AbortSignal,
): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    const opened = await openSession({ ...target, localName: 'client.bench.test' });
    if (opened.kind === 'failed') throw new Error(`No session: ${opened.reply.transcript}`);
    const { session } = opened;
    while (next < messages) {
      signal.throwIfAborted();
      const number = round * MOST_OF_ROUND + next++;
      const recipient = `r${number}@${REMOTE_DOMAIN}` as Address;
      const raw = mailOf(sender, recipient, number);
      const reply = await session.deliver({ mailFrom: sender as Address, recipient, raw });
      if (reply.kind !== 'accepted') throw new Error(`Refused: ${reply.transcript}`);
    }
    await session.quit();
  };
  await Promise.all(Array.from({ length: sessions }, lane));
};

/** The figures are worth something only where what goes out is signed. */
const expectSigned = async (server: Server, port: number, signal: AbortSignal): Promise<void> => {
  await using receiver = await startReceiver({ listen: { host: '127.0.0.1', port } });
  await handIn(server, CHECK, 1, 1, signal);
  const raw = String((await receiver.waitFor(1))[0]?.raw);
  const found = [...raw.matchAll(/^DKIM-Signature:[^:]*?a=([\w-]+)/gm)].map(([, algorithm]) => algorithm).sort();
  if (found.join(' ') !== server.algorithms)
    throw new Error(`${server.name} signs by ${found.join(' ') || 'nothing'}.`);
};

const playRound = async (
  server: Server,
  sink: SmtpSink,
  round: number,
  messages: number,
  { sessions }: BenchSettings,
  signal: AbortSignal,
) => {
  const before = sink.taken();
  const cpuBefore = server.cpuSeconds();
  const began = performance.now();
  await handIn(server, round, messages, sessions, signal);
  const accepted = performance.now();
  while (sink.taken() - before < messages) {
    if (performance.now() > accepted + TAKEN_WITHIN_MS) {
      throw new Error(`${sink.taken() - before} of ${messages} mails of ${server.name} came.`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
  const second = (at: number) => (at - began) / 1_000;
  return {
    server: server.name,
    acceptedPerSecond: Math.round(messages / second(accepted)),
    deliveredPerSecond: Math.round(messages / second(performance.now())),
    cpuSeconds: Math.round((server.cpuSeconds() - cpuBefore) * 100) / 100,
  };
};

const run: Bench['run'] = async (settings, signal, say) => {
  await using cleanUp = new AsyncDisposableStack();
  const sinkPort = await freePort();
  const servers = [cleanUp.use(await startOurs(sinkPort, settings.profile))];
  if (!settings.only.includes('postroom')) servers.push(cleanUp.use(await startTheirs(sinkPort)));
  for (const server of servers) await expectSigned(server, sinkPort, signal);
  const sink = cleanUp.use(await startSmtpSink(sinkPort));
  for (const server of servers) await playRound(server, sink, 0, WARM_UP, settings, signal);
  const rounds: (Awaited<ReturnType<typeof playRound>> & { round: number })[] = [];
  for (let round = 1; round <= settings.rounds && !signal.aborted; round += 1) {
    for (const server of servers) {
      const figures = await playRound(server, sink, round, settings.messages, settings, signal);
      rounds.push({ round, ...figures });
      say(`${round} ${server.name}: ${figures.deliveredPerSecond} a second`);
    }
  }
  const rates = (name: Server['name']) =>
    rounds.filter(({ server }) => server === name).map((each) => each.deliveredPerSecond);
  const [ours, theirs] = [median(rates('postroom')), median(rates('postfix'))];
  const pairs = rates('postroom').map((rate, at) => rate / (rates('postfix')[at] ?? Number.NaN));
  const ratio = servers.length > 1 ? threeDigits(median(pairs)) : null;
  const columns = ['round', 'server', 'accepted/s', 'delivered/s', 'CPU s'];
  return {
    tables: [
      {
        title: `Rounds of ${settings.messages} signed mails of ${BODY_BYTES} bytes over ${settings.sessions} sessions`,
        columns,
        rows: rounds.map((each) => [
          ...[each.round, each.server, each.acceptedPerSecond, each.deliveredPerSecond],
          each.cpuSeconds,
        ]),
      },
      {
        title: 'Delivered a second, medians; ratio is the median of each round’s own',
        columns: ['postroom', 'postfix with OpenDKIM', 'ratio'],
        rows: [[ours ?? '-', theirs ?? '-', ratio ?? '-']],
      },
    ],
    document: { rounds, ratio },
    ...(ratio !== null && {
      figures: { 'out, signed, to Postfix with OpenDKIM': { value: ratio, goal: 3 } },
    }),
  };
};

export const outbound: Bench = {
  name: 'outbound',
  summary: 'signed mails a second from submission to the receiving host, beside Postfix with OpenDKIM',
  run,
};

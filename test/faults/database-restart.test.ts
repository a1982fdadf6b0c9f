/** The database server ends as a crash does, under mail in and out, and comes back, or another takes its place. */

import net from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startInstance } from '../harness/instance.ts';
import { rounds } from '../harness/long-form.ts';
import { queryOnce, startPostgres, startStandby } from '../harness/postgres/postgres-server.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';

const ROUNDS = rounds(2, 10);
const WORKERS = 6;

/** Repeats `work` with a subject of its own each time, until it is stopped. @returns the subjects that were acknowledged */
const load = (name: string, work: (subject: string) => Promise<unknown>) => {
  const acknowledged: string[] = [];
  let isStopped = false;
  let count = 0;
  const workers = Array.from({ length: WORKERS }, async () => {
    while (!isStopped) {
      const subject = `${name} ${++count}`;
      const isTaken = await work(subject).then(
        () => true,
        () => false,
      );
      if (isTaken) acknowledged.push(subject);
    }
  });
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
    },
  };
};

/** Mail goes in and out of an instance meanwhile; what was acknowledged is there once. */
const underMail = async (t: Test, storageUrl: string, disturb: (mailGoes: () => Promise<void>) => Promise<void>) => {
  await using instance = await startInstance({ storageUrl });
  const { agents, smtpPort, receiver } = instance;
  const { ann, bob } = agents;
  const mailIn = load('In', (Subject) => sendMail(smtpPort, { to: [ann.address], headers: { Subject } }));
  const client = instance.client(bob);
  const mailOut = load('Out', (subject) => client.messages.send({ to: ['carol@remote.test'], subject, body: subject }));
  const both = [mailIn, mailOut];
  await disturb(async () => {
    const before = both.map(({ acknowledged }) => acknowledged.length);
    await eventually(async () => both.every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0) + 10));
  });
  await eventually(async () => (await client.messages.list({ limit: 1 })).messages.length > 0);
  await Promise.all([mailIn.stop(), mailOut.stop()]);

  const stored = await instance.inStore(({ read }) =>
    read.selectFrom('messages').select('subject').where('direction', '=', 'in').execute(),
  );
  const subjects = stored.map(({ subject }) => subject).filter((subject) => subject.startsWith('In '));
  const known = new Set(subjects);
  t.same(
    mailIn.acknowledged.filter((subject) => !known.has(subject)),
    [],
    `${mailIn.acknowledged.length} of SMTP`,
  );
  t.equal(known.size, subjects.length, 'none is stored twice');

  const arrived = () => receiver.messages.map(({ raw }) => /^subject: (.*)$/im.exec(raw.toString())?.[1]?.trim() ?? '');
  await eventually(async () => mailOut.acknowledged.every((subject) => arrived().includes(subject)));
  t.pass(`${mailOut.acknowledged.length} of REST are delivered`);
  t.equal(new Set(arrived()).size, arrived().length, 'none is delivered twice');
};

t.test('the server ends as in a crash, and starts again', async (t) => {
  await using server = await startPostgres();
  await underMail(t, server.url, async (mailGoes) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      await mailGoes();
      await server.crash();
      await server.start();
    }
    await mailGoes();
  });
});

t.test('the server is gone, and its standby takes its place', async (t) => {
  await using primary = await startPostgres();
  await using standby = await startStandby(primary);
  await queryOnce(primary, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()');
  await eventually(async () => {
    const [row] = await queryOnce(primary, 'select sync_state from pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  let current = primary;
  // What an address that moves, or a proxy, is in front of a pair.
  const front = net.createServer((near) => {
    const far = net.connect(join(current.directory, '.s.PGSQL.5432'));
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  t.teardown(() => front.close());
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as net.AddressInfo;
  let met = 0;
  await underMail(t, `postgres://postgres@127.0.0.1:${port}/postgres`, async (mailGoes) => {
    await mailGoes();
    // The address leads to a server that is a standby still, or for now.
    current = standby;
    front.on('connection', () => (met += 1));
    await primary.crash();
    await eventually(async () => met > 5);
    await primary.start();
    current = primary;
    await mailGoes();
    await primary.crash();
    await queryOnce(standby, 'select pg_promote()');
    current = standby;
    await mailGoes();
  });
});

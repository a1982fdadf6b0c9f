/** The database server ends as a crash does, under mail in and out, and comes back. */

import t from 'tap';
import { startInstance } from '../harness/instance.ts';
import { rounds } from '../harness/long-form.ts';
import { startPostgres } from '../harness/postgres/postgres-server.ts';
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

t.test('what was acknowledged is there once, however often the server ended', async (t) => {
  await using server = await startPostgres();
  await using instance = await startInstance({ storageUrl: server.url });
  const { agents, smtpPort, receiver } = instance;
  const { ann, bob } = agents;
  const mailIn = load('In', (Subject) => sendMail(smtpPort, { to: [ann.address], headers: { Subject } }));
  const client = instance.client(bob);
  const mailOut = load('Out', (subject) => client.messages.send({ to: ['carol@remote.test'], subject, body: subject }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = [mailIn.acknowledged.length, mailOut.acknowledged.length];
    const more = () => [mailIn, mailOut].every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0) + 10);
    await eventually(async () => more());
    await server.crash();
    await server.start();
  }
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
});

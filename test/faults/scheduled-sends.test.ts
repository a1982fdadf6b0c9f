import t from 'tap';
import { startProcessBox } from '../harness/process.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

const COUNT = 20;
/** Long enough to schedule all of them. */
const AHEAD_MS = 3_000;

t.test('SIGKILL while scheduled sends are due: each is sent once, and none is lost', async (t) => {
  await using harness = await startProcessBox();
  const { instance } = harness;
  const client = instance.client(instance.agents.ann);
  const send_at = new Date(Date.now() + AHEAD_MS).toISOString();
  const scheduled = await Promise.all(
    Array.from({ length: COUNT }, (_, n) =>
      client.messages.send({ to: ['carol@remote.test'], subject: `Scheduled ${n}`, body: `Text ${n}`, send_at }),
    ),
  );
  t.ok(scheduled.every(({ status }) => status === 'scheduled'));
  await instance.receiver.waitFor(1, 20_000);
  await harness.daemon.end('SIGKILL');
  await harness.start();
  // A key asks 300 times a minute.
  await eventually(async () => (await client.scheduled.listScheduled({})).scheduled.length === 0, 20_000);
  const ends = await Promise.all(
    scheduled.map(({ scheduled_id }) => client.scheduled.getScheduled({ id: scheduled_id ?? '' })),
  );
  t.ok(ends.every(({ status }) => status === 'sent'));
  t.equal(new Set(ends.map(({ message_id }) => message_id)).size, COUNT, 'a message for each');
  const { messages } = await client.messages.list({ limit: 100 });
  t.equal(messages.length, COUNT, 'and no other');
  await eventually(async () => {
    const found = await client.messages.list({ limit: 100 });
    return found.messages.every(({ status }) => status === 'delivered');
  }, 20_000);
  const subjects = instance.receiver.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString('latin1'))?.[1]);
  t.equal(new Set(subjects).size, COUNT, 'all of them arrived');
  t.comment(`delivered twice, killed between the receiver's reply and the record: ${subjects.length - COUNT}`);
});

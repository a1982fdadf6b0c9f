import t from 'tap';
import { rounds } from '../harness/long-form.ts';
import { type ProcessBox, spawnDaemon, startProcessBox } from '../harness/process.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';
import { loadUntilEnd, mailWithSubject } from './load.ts';

const ROUNDS = rounds(1, 4);
const WORKERS = 16;

/** Every subject of a mailbox, paged through as a client would. */
const storedSubjects = async ({ instance }: ProcessBox): Promise<string[]> => {
  const client = instance.client(instance.agents.ann);
  const subjects: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.messages.list({ limit: 100, ...(cursor && { cursor }) });
    subjects.push(...page.messages.map(({ subject }) => subject));
    cursor = page.next_cursor;
  }
  return subjects;
};

const missing = (wanted: readonly string[], found: readonly string[]): string[] => {
  const known = new Set(found);
  return wanted.filter((subject) => !known.has(subject));
};

const duplicates = (found: readonly string[]): number => found.length - new Set(found).size;

t.test('a daemon that ends in the midst of its work', async (t) => {
  await using harness = await startProcessBox();
  const { instance } = harness;

  await t.test('SIGKILL right after a 250 loses no mail', async (t) => {
    const acknowledged: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const { daemon } = harness;
      const endAfter = 20 * round + 3;
      const mail = mailWithSubject(instance.smtpPort, instance.agents.ann.address);
      const result = await loadUntilEnd(daemon, `In ${round}`, mail, { workers: WORKERS, endAfter, signal: 'SIGKILL' });
      t.ok(result.acknowledged.length >= endAfter, `${result.acknowledged.length} of ${result.begun} acknowledged`);
      acknowledged.push(...result.acknowledged);
      await harness.start();
      const stored = await storedSubjects(harness);
      t.same(missing(acknowledged, stored), [], 'every mail that was answered with 250 is there');
      t.comment(`stored without an acknowledgement: ${stored.length - acknowledged.length}`);
    }
  });

  await t.test('SIGKILL right after a 200 to POST /v1/messages loses no mail', async (t) => {
    const client = instance.client(instance.agents.bob);
    const acknowledged: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const { daemon } = harness;
      const endAfter = 10 * round + 3;
      const send = (subject: string) => client.messages.send({ to: ['carol@remote.test'], subject, body: subject });
      const result = await loadUntilEnd(daemon, `Out ${round}`, send, {
        workers: WORKERS,
        endAfter,
        signal: 'SIGKILL',
      });
      t.ok(result.acknowledged.length >= endAfter, `${result.acknowledged.length} of ${result.begun} acknowledged`);
      acknowledged.push(...result.acknowledged);
      await harness.start();
    }
    const received = () =>
      instance.receiver.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString('latin1'))?.[1] ?? '');
    await eventually(async () => missing(acknowledged, received()).length === 0, 60_000).catch(() => undefined);
    t.same(missing(acknowledged, received()), [], 'every mail that was accepted has reached its receiver');
    // The process may die between the receiver's reply and its record: that mail goes out again.
    t.comment(`delivered twice: ${duplicates(received())} of ${received().length}`);
  });

  await t.test('SIGTERM under load drains: what was acknowledged stays', async (t) => {
    const { daemon } = harness;
    const mail = mailWithSubject(instance.smtpPort, instance.agents.ann.address);
    const { acknowledged } = await loadUntilEnd(daemon, 'Last', mail, {
      workers: WORKERS,
      endAfter: 50,
      signal: 'SIGTERM',
    });
    t.same(await daemon.ended, { code: 0, signal: null });
    await harness.start();
    t.same(missing(acknowledged, await storedSubjects(harness)), []);
  });

  await t.test('a second daemon on a data directory does not start, and the first works on', async (t) => {
    const { daemon } = harness;
    const second = spawnDaemon(instance.configPath);
    t.same(await second.ended, { code: 1, signal: null });
    t.match(second.output(), new RegExp(`\\b${daemon.pid}\\b`), 'it names the first');
    t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250 /);
  });
});

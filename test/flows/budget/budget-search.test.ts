import { randomBytes } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { rounds } from '../../harness/long-form.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';
import { storeMails } from '../../harness/stored-mail.ts';

const WORDS = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** Some 110 KB of words, no two mails alike, with every beginning of three letters over and over. */
const wordy = (mail: number): string =>
  Array.from({ length: 1_400 }, (_, line) => {
    const at = (n: number) => WORDS[(line * 7 + n * 5 + mail) % 26];
    return Array.from({ length: 8 }, (_, n) => `con${at(n)}${at(n + 1)}${(mail * 31 + line * 17 + n) % 9973}`).join(
      ' ',
    );
  }).join('\n');

const fill = async (instance: TestInstance, agent: TestAgent, mails: number): Promise<void> => {
  for (let mail = 0; mail < mails; mail++) {
    await sendMail(instance.smtpPort, { to: [agent.address], headers: { Subject: `Mail ${mail}` }, text: wordy(mail) });
  }
};

const search = async (instance: TestInstance, agent: TestAgent, q: string, more = '') => {
  const began = Date.now();
  const reply = await instance.request(agent, 'GET', `/v1/search?q=${encodeURIComponent(q)}${more}`);
  const body = (await reply.json()) as Record<string, unknown> & { hits: { subject: string }[] };
  return { status: reply.status, body, ms: Date.now() - began };
};

t.test("one workspace's searches do not hold up another's", async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nsearches_waiting_per_workspace = 4\n' });
  const { ann } = instance.agents;
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Zebra'));
  await fill(instance, ann, rounds(20, 60));
  await sendMail(instance.smtpPort, { to: [zoe.address], headers: { Subject: 'Confidential' } });
  t.match(await search(instance, ann, WORDS.map((letter) => `${letter}*`).join(' OR ')), {
    status: 400,
    body: { error: 'invalid_request', hint: /at least 3 letters/ },
  });
  const hostile = Array.from({ length: 30 }, () => search(instance, ann, 'con* OR cona* OR conb*'));
  for (let round = 0; round < 5; round++) {
    const { status, body, ms } = await search(instance, zoe, 'con*');
    t.equal(status, 200);
    t.same(
      body.hits.map(({ subject }) => subject),
      ['Confidential'],
    );
    t.ok(ms < 5_000, `after ${ms} ms`);
  }
  const answers = await Promise.all(hostile);
  const refused = answers.filter(({ status }) => status === 503);
  t.equal(answers.filter(({ status }) => status === 200).length + refused.length, 30, 'answered, or told to wait');
  t.ok(refused.length > 0);
  const hints = refused.map(({ body }) => String(body.hint));
  t.ok(hints.some((hint) => /searches of this workspace wait already/.test(hint)));
  t.match(
    instance.warned.find(({ message }) => message === 'turned away'),
    { fields: { resource: 'searches', workspace: String, limit: 'workspace', most: 4 } },
  );
  t.same(instance.faults, []);
});

t.test('of more than a thousand matches the newest are ranked, and the cursor leads through the rest', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const mails = rounds(1_300, 2_300);
  await instance.inStore(async (store) => {
    const agent = await findAgent(store.read, 'ann');
    const newId = createIdSource(systemClock, randomBytes);
    const mail = (n: number) => ({ subject: `Mail ${n}`, body: `invoices ${'tea '.repeat(1 + (n % 7))}` });
    if (agent) await storeMails(store, newId, agent.mailboxId, mails, mail);
  });
  for (const q of ['tea', 'invoic*']) {
    const found: number[] = [];
    const partial: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null && partial.length < 60) {
      const more = `&limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { status, body } = await search(instance, ann, q, more);
      t.equal(status, 200);
      for (const { subject } of body.hits) found.push(Number(subject.slice('Mail '.length)));
      partial.push(body.partial);
      cursor = body.next_cursor as string | null;
    }
    t.equal(new Set(found).size, mails, 'every mail');
    t.equal(found.length, mails, 'once');
    t.ok(Math.min(...found.slice(0, 50)) >= mails - 1_000, 'the first page is of the newest thousand');
    t.same([partial[0], partial.at(-1)], [true, false], 'as is told');
  }
  t.same(instance.faults, []);
});

t.test('a page of a search by filters is followed by the next one, whatever became of its hits', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  for (const n of [1, 2, 3, 4])
    await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: `Mail ${n}` } });
  const { body } = await search(instance, ann, 'in:inbox', '&limit=2');
  t.match(body.hits, [{ subject: 'Mail 4', score: 0 }, { subject: 'Mail 3' }]);
  for (const { message_id } of body.hits as unknown as { message_id: string }[]) {
    t.equal((await instance.request(ann, 'DELETE', `/v1/messages/${message_id}`)).status, 200);
  }
  const next = await search(instance, ann, 'in:inbox', `&limit=2&cursor=${body.next_cursor}`);
  t.match(next.body, { hits: [{ subject: 'Mail 2' }, { subject: 'Mail 1' }], next_cursor: null });
  t.match(await search(instance, ann, 'Mail\0 4'), { status: 200, body: { hits: [] } });
  t.match(await search(instance, ann, 'Mail\0"2'), { status: 200, body: { hits: [{ subject: 'Mail 2' }] } });
  t.same(instance.faults, []);
});

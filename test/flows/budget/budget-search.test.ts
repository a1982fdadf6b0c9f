import t from 'tap';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

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
  await fill(instance, ann, 60);
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

t.test('a search that runs out of time is answered in part, and its cursor leads through the rest', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nsearch_seconds = 0.001\n' });
  const { ann } = instance.agents;
  const mails = 620;
  for (let from = 0; from < mails; from += 20) {
    const some = Array.from({ length: 20 }, (_, n) => from + n);
    await Promise.all(
      some.map((n) =>
        sendMail(instance.smtpPort, {
          to: [ann.address],
          headers: { Subject: `Mail ${n}` },
          text: `tea ${'tea '.repeat(n % 7)}`,
        }),
      ),
    );
  }
  const found = new Set<string>();
  let pages = 0;
  let partial = 0;
  let cursor: string | null = '';
  while (cursor !== null && pages < 40) {
    const { status, body } = await search(instance, ann, 'tea', `&limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`);
    t.equal(status, 200);
    for (const { subject } of body.hits) found.add(subject);
    partial += body.partial ? 1 : 0;
    cursor = body.next_cursor as string | null;
    pages += 1;
  }
  t.equal(found.size, mails, 'every mail once');
  t.ok(partial > 0, 'time had ended the ranking');
  t.ok(pages <= 16, `in ${pages} pages`);
  t.same(instance.faults, []);
});

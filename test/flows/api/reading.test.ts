import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { changeData } from '../../harness/postgres/change-data.ts';
import { partsMail, receive } from '../../harness/smtp/seen-mail.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

t.test('lists page newest first, by cursor and by filter', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  for (let n = 1; n <= 7; n += 1) {
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: `Mail ${n}` } });
  }
  const subjects: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: Awaited<ReturnType<typeof ann.messages.list>> = await ann.messages.list({
      limit: 3,
      ...(cursor !== null && { cursor }),
    });
    subjects.push(...page.messages.map(({ subject }) => subject));
    cursor = page.next_cursor;
    pages += 1;
  } while (cursor !== null);
  t.same(subjects, ['Mail 7', 'Mail 6', 'Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1']);
  t.equal(pages, 3);

  const all = (await ann.messages.list({})).messages;
  const times = all.map(({ created_at }) => created_at);
  t.equal(new Set(times).size, 7, 'no two of a list share their created_at');
  const [seventh, sixth] = all;
  await ann.messages.get({ id: seventh?.id ?? '' });
  t.same(await ann.messages.archive({ id: sixth?.id ?? '' }), { id: sixth?.id, archived: true, unread: true });
  const unread = await ann.messages.list({ unread_only: true });
  t.same(
    unread.messages.map(({ subject }) => subject),
    ['Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1'],
  );
  t.equal((await ann.messages.list({ include_archived: true })).messages.length, 7);
  t.same(await ann.messages.archive({ id: seventh?.id ?? '', unread: true }), {
    id: seventh?.id,
    archived: false,
    unread: true,
  });
  t.same(await ann.messages.archive({ id: sixth?.id ?? '', archived: false }), {
    id: sixth?.id,
    archived: false,
    unread: true,
  });
  t.equal((await ann.messages.list({ thread_id: sixth?.thread_id ?? '' })).messages.length, 1);
});

t.test('a long text comes in parts, and a deleted mail is gone from everywhere', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const text = Array.from({ length: 400 }, (_, n) => `Line ${n} of the xylophone report.`).join('\n');
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text });
  const id = (await ann.messages.list({})).messages[0]?.id ?? '';
  const whole = await ann.messages.get({ id });
  t.equal(whole.next_offset, null);
  let joined = '';
  let offset: number | null = 0;
  while (offset !== null) {
    const part: typeof whole = await ann.messages.get({ id, max_chars: 5_000, offset });
    t.ok(part.text.length <= 5_000);
    t.equal(part.text_chars, whole.text.length);
    joined += part.text;
    offset = part.next_offset;
  }
  t.equal(joined, whole.text);

  t.equal((await ann.search.search({ q: 'xylophone' })).hits.length, 1);
  t.same(await ann.messages.remove({ id }), { deleted: true });
  t.equal((await ann.search.search({ q: 'xylophone' })).hits.length, 0);
  t.equal((await ann.threads.list({})).threads.length, 0);
  t.match(await ann.messages.get({ id }).catch((error: unknown) => error), { status: 404, code: 'message_not_found' });
});

t.test('a message whose bytes are gone is still read, without its attachments', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const raw = partsMail('mixed', [
    'Content-Type: text/plain\n\nSee the file.',
    'Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\nx',
  ]);
  const { id } = await receive(instance, raw);
  // The store keeps the bytes as long as a message refers to them: only a damaged data file lacks them.
  const remove = 'delete from raw_messages';
  await changeData(instance.config, {
    sqlite: `pragma foreign_keys = off; ${remove}`,
    postgres: `set session_replication_role = replica; ${remove}`,
  });
  const refusal = async (path: string) => {
    const response = await instance.request(ann, 'GET', `/v1/messages/${id}/${path}`);
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  t.same(await refusal('attachments/a.pdf'), [404, 'attachment_bytes_missing']);
  t.same(await refusal('attachments/b.pdf'), [404, 'attachment_not_found']);
  t.same(await refusal('raw'), [404, 'raw_message_unavailable']);
  t.match(await instance.client(ann).messages.get({ id }), {
    text: /See the file/,
    attachments: [{ filename: 'a.pdf' }],
  });
});

t.test('the parts that are made for the reader', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, {
    to: [instance.agents.ann.address],
    headers: { Subject: 'Your verification code', 'Content-Type': 'text/html; charset=utf-8' },
    text: '<p onclick="steal()">Your verification code is <b>493817</b>.</p><script>alert(1)</script><a href="https://remote.test/verify?t=abc">Verify your address</a>',
  });
  const id = (await ann.messages.list({})).messages[0]?.id ?? '';
  const message = await ann.messages.get({ id });
  t.match(message.text, /Your verification code is 493817/);
  t.notMatch(message.html, /script|onclick/);
  t.same(message.codes, ['493817']);
  t.match(message.links, [{ url: 'https://remote.test/verify?t=abc', action: true }]);
  t.same(message.deliveries, []);
  t.same(message.opens, { count: 0, first_at: null, last_at: null });
});

t.test('threads: by reference, by subject, and their list', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const to = [instance.agents.ann.address];
  await sendMail(instance.smtpPort, { to, headers: { Subject: 'Plan', 'Message-ID': '<plan-1@remote.test>' } });
  await sendMail(instance.smtpPort, {
    to,
    headers: { Subject: 'A new subject', 'Message-ID': '<plan-2@remote.test>', 'In-Reply-To': '<plan-1@remote.test>' },
  });
  await sendMail(instance.smtpPort, { to, headers: { Subject: 'RE: plan' } });
  await sendMail(instance.smtpPort, { to, headers: { Subject: 'Plan' } });
  await sendMail(instance.smtpPort, {
    from: 'dave@remote.test',
    to,
    headers: { From: 'dave@remote.test', Subject: 'Re: Plan' },
  });

  const { threads } = await ann.threads.list({});
  t.same(
    threads.map(({ subject, message_count, unread_count }) => [subject, message_count, unread_count]),
    [
      ['Re: Plan', 1, 1],
      ['Plan', 1, 1],
      ['Plan', 3, 3],
    ],
    'the same subject from another correspondent is another thread, and a first mail begins one',
  );
  const long = threads[2];
  const thread = await ann.threads.get({ id: long?.id ?? '' });
  t.same(
    thread.messages.map(({ subject }) => subject),
    ['Plan', 'A new subject', 'RE: plan'],
  );
  await ann.messages.get({ id: thread.messages[0]?.id ?? '' });
  t.equal((await ann.threads.list({})).threads[2]?.unread_count, 2);
  const first = await ann.threads.list({ limit: 2 });
  const rest = await ann.threads.list({ limit: 2, cursor: first.next_cursor ?? '' });
  t.same(
    [...first.threads, ...rest.threads].map(({ id }) => id),
    threads.map(({ id }) => id),
  );
  t.equal(rest.next_cursor, null);
});

t.test('search understands words, phrases, fields and dates', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const to = [instance.agents.ann.address];
  await sendMail(instance.smtpPort, {
    to,
    headers: { Subject: 'Quarterly budget' },
    text: 'The budget for tea and biscuits is approved.',
  });
  await sendMail(instance.smtpPort, {
    to,
    headers: { Subject: 'Tea' },
    text: 'Biscuits and tea are out. Mentions: budgeting.',
  });
  await sendMail(instance.smtpPort, {
    from: 'dave@remote.test',
    to,
    headers: { From: 'Dave <dave@remote.test>', Subject: 'Coffee' },
    text: 'Coffee instead of tea?',
  });
  const found = async (q: string) => (await ann.search.search({ q })).hits.map(({ subject }) => subject).sort();
  const today = new Date().toISOString().slice(0, 10);
  t.same(await found('tea biscuits'), ['Quarterly budget', 'Tea']);
  t.same(await found('"tea and biscuits"'), ['Quarterly budget']);
  t.same(await found('tea -biscuits'), ['Coffee']);
  t.same(await found('approved OR coffee'), ['Coffee', 'Quarterly budget']);
  t.same(await found('budget*'), ['Quarterly budget', 'Tea']);
  t.same(await found('from:dave'), ['Coffee']);
  t.same(await found('subject:tea'), ['Tea']);
  t.same(await found('to:ann tea'), ['Coffee', 'Quarterly budget', 'Tea']);
  t.same(await found(`after:${today} tea`), ['Coffee', 'Quarterly budget', 'Tea']);
  t.same(await found(`before:${today} tea`), []);
  t.same(await found('is:unread from:dave'), ['Coffee']);
  t.same(await found('in:out'), []);
  t.same(await found('has:attachment'), []);
  for (const odd of ['"', '***', 'AND', 'NEAR(', 'a"b', '(tea', '-', 'x:y', "'; drop table", 'OR', '-tea']) {
    await t.resolves(ann.search.search({ q: odd }), `is a query like any other: ${odd}`);
  }
  const one = await ann.search.search({ q: 'tea', limit: 2 });
  const two = await ann.search.search({ q: 'tea', limit: 2, cursor: one.next_cursor ?? '' });
  t.equal(new Set([...one.hits, ...two.hits].map(({ message_id }) => message_id)).size, 3);
  t.equal(two.next_cursor, null);
  t.ok((one.hits[0]?.score ?? 0) >= (one.hits[1]?.score ?? 0), 'best first');
});

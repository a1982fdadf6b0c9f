import { spawnSync } from 'node:child_process';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

/** Verifies every DKIM signature with python3-dkim, against the records in the test zone. */
const dkimpyVerdicts = (instance: TestInstance, raw: Buffer): boolean[] => {
  const signatures = raw.toString('latin1').match(/^DKIM-Signature:/gim)?.length ?? 0;
  const program = `
import sys, json, dkim
zone = json.loads(sys.argv[1]); raw = sys.stdin.buffer.read()
look = lambda name, timeout=5: zone.get((name.decode() if isinstance(name, bytes) else name).rstrip('.'), '').encode() or None
d = dkim.DKIM(raw)
print(json.dumps([bool(d.verify(idx=i, dnsfunc=look)) for i in range(${signatures})]))`;
  const zone = Object.fromEntries(
    ['pr1', 'pe1'].map((selector) => {
      const name = `${selector}._domainkey.acme.agents.box.test`;
      return [name, instance.dns.zone.get(name, 'TXT').join('')];
    }),
  );
  const run = spawnSync('/usr/bin/python3', ['-c', program, JSON.stringify(zone)], { input: raw });
  if (run.status !== 0) throw new Error(`python3-dkim: ${run.stderr} (scripts/test-deps installs it)`);
  return JSON.parse(run.stdout.toString()) as boolean[];
};

t.test('a reply arrives at the other side, threaded and signed twice', async (t) => {
  await using instance = await startInstance({ receiver: { tls: true } });
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, {
    to: [instance.agents.ann.address],
    headers: { 'Message-ID': '<question@remote.test>', References: '<older@remote.test>' },
  });
  const question = (await ann.messages.list({})).messages[0];

  const sent = await ann.messages.send({
    to: ['Carol <carol@remote.test>'],
    subject: 'Re: A question',
    body: 'The **answer** is 42.\n\nÄnn',
    reply_to_message_id: question?.id ?? '',
    attachments: [
      { filename: 'Übersicht.txt', content_type: 'text/plain', content_base64: Buffer.from('data').toString('base64') },
    ],
  });
  t.equal(sent.status, 'sent');
  const [received] = await instance.receiver.waitFor(1);
  const raw = received?.raw.toString('latin1') ?? '';
  t.equal(received?.secure, true, 'STARTTLS was used');
  t.same(received?.rcptTo, ['carol@remote.test']);
  t.match(received?.mailFrom, /^b-[a-z2-7]+@acme\.agents\.box\.test$/);
  t.match(raw, /^In-Reply-To: <question@remote\.test>\r$/m);
  t.match(raw, /^References: <older@remote\.test>\s+<question@remote\.test>\r$/m);
  t.match(raw, /<strong>answer<\/strong>/);
  t.notMatch(raw, /[\x80-\xff]/, 'all of it is 7-bit');
  t.same(dkimpyVerdicts(instance, received?.raw ?? Buffer.alloc(0)), [true, true]);

  const delivered = await eventually(async () => {
    const message = await ann.messages.get({ id: sent.messageId ?? '' });
    // Its deliveries are read before its status.
    return message.deliveries.every(({ status }) => status === 'delivered') && message;
  });
  t.equal(delivered.status, 'delivered');
  t.equal(delivered.thread_id, question?.thread_id);
  t.match(delivered.deliveries, [
    {
      address: 'carol@remote.test',
      status: 'delivered',
      code: 250,
      remote_host: 'mx.remote.test',
      attempts: 1,
      next_attempt_at: null,
    },
  ]);
  t.match(delivered.deliveries[0]?.tls, /TLS/);
  const thread = await ann.threads.get({ id: question?.thread_id ?? '' });
  t.same(
    thread.messages.map(({ direction }) => direction),
    ['in', 'out'],
  );
  t.same(instance.faults, []);
});

t.test('refusal and deferral are recorded by recipient', async (t) => {
  let late = true;
  await using instance = await startInstance({
    receiver: {
      onRcpt: (address) => {
        if (address.startsWith('gone')) return { code: 550, text: '5.1.1 No such user' };
        if (address.startsWith('late') && late) return { code: 451, text: '4.3.2 Not now' };
        return undefined;
      },
    },
  });
  const ann = instance.client(instance.agents.ann);
  const sent = await ann.messages.send({
    to: ['gone@remote.test', 'late@remote.test', 'fine@remote.test'],
    subject: 'Three',
    body: 'Hi',
  });
  const settled = await eventually(async () => {
    const message = await ann.messages.get({ id: sent.messageId ?? '' });
    return message.deliveries.every(({ attempts, code }) => attempts === 1 && code !== null) && message;
  });
  t.equal(settled.status, 'bounced');
  t.match(settled.deliveries, [
    { address: 'gone@remote.test', status: 'bounced', code: 550, enhanced_code: '5.1.1', next_attempt_at: null },
    { address: 'late@remote.test', status: 'deferred', code: 451, enhanced_code: '4.3.2', next_attempt_at: String },
    { address: 'fine@remote.test', status: 'delivered', code: 250 },
  ]);
  const delay =
    Date.parse(settled.deliveries[1]?.next_attempt_at ?? '') - Date.parse(settled.deliveries[1]?.last_attempt_at ?? '');
  t.ok(delay >= 47_000 && delay <= 73_000, `the second attempt is due a minute later, give or take 20 %: ${delay} ms`);
  late = false;
});

t.test('a bare 550 is about the address as the reply to RCPT alone', async (t) => {
  const odd = { code: 550, text: 'Nope' };
  await using instance = await startInstance({
    receiver: {
      pipelining: true,
      onRcpt: (address) => (address.startsWith('gone') ? odd : undefined),
      onData: ({ rcptTo: [to = ''] }) => (to.startsWith('unwanted') ? odd : undefined),
    },
  });
  const ann = instance.client(instance.agents.ann);
  await ann.messages.send({ to: ['gone@remote.test', 'unwanted@remote.test'], subject: 'Two', body: 'Hi' });
  const suppressions = await eventually(async () => {
    const listed = await ann.suppressions.list({});
    return listed.suppressions.length === 2 && listed.suppressions;
  });
  t.match(
    new Map(suppressions.map(({ address, ...about }) => [address, about])),
    new Map<string, object>([
      ['gone@remote.test', { bounce_type: 'permanent', until: null }],
      ['unwanted@remote.test', { bounce_type: 'blocked', until: String }],
    ]),
  );
});

t.test('a domain that takes no mail, and one that is not there', async (t) => {
  await using instance = await startInstance();
  instance.dns.zone.set('nomail.test', 'MX', [{ exchange: '', priority: 0 }]);
  const ann = instance.client(instance.agents.ann);
  const sent = await ann.messages.send({ to: ['a@nomail.test', 'b@missing.test'], subject: 'x', body: 'y' });
  const settled = await eventually(async () => {
    const message = await ann.messages.get({ id: sent.messageId ?? '' });
    return message.deliveries.every(({ next_attempt_at }) => next_attempt_at === null) && message;
  });
  t.match(settled.deliveries, [
    { status: 'bounced', enhanced_code: '5.1.10' },
    { status: 'bounced', enhanced_code: '5.1.2' },
  ]);
  const { suppressions } = await ann.suppressions.list({});
  const untilOf = (wanted: string) => suppressions.find(({ address }) => address === wanted)?.until;
  t.equal(untilOf('a@nomail.test'), null, 'the domain says so');
  t.ok(untilOf('b@missing.test'), 'its DNS may be broken for an hour');
});

t.test('mail between local agents does not pass SMTP', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const bob = instance.client(instance.agents.bob);
  const sent = await ann.messages.send({ to: [instance.agents.bob.address], subject: 'Lunch', body: 'At noon?' });
  const arrived = await eventually(async () => (await bob.messages.list({})).messages[0]);
  t.match(arrived, {
    from: instance.agents.ann.address,
    subject: 'Lunch',
    spam_verdict: 'PASS',
    authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', from_domain: 'acme.agents.box.test' },
  });
  t.equal((await ann.messages.get({ id: sent.messageId ?? '' })).status, 'delivered');
  t.equal(instance.receiver.messages.length, 0);

  await bob.messages.replyAll({ id: arrived.id, body: 'Yes.' });
  const answer = await eventually(async () => (await ann.messages.list({ unread_only: true })).messages[0]);
  t.equal(answer.subject, 'Re: Lunch');
  const thread = await ann.threads.get({ id: answer.thread_id ?? '' });
  t.equal(thread.messages.length, 2, 'the answer joined the thread of what was sent');

  const lost = await ann.messages.send({ to: ['nobody@acme.agents.box.test'], subject: 'x', body: 'y' });
  const bounced = await eventually(async () => {
    const message = await ann.messages.get({ id: lost.messageId ?? '' });
    return message.status === 'bounced' && message;
  });
  t.match(bounced.deliveries, [{ code: 550, enhanced_code: '5.1.1' }]);
});

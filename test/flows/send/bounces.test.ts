import t from 'tap';
import { addOutcomes } from '../../../src/store/sending/outcomes.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { type InstanceOptions, startInstance, type TestInstance } from '../../harness/instance.ts';
import {
  bouncedTypes,
  deliveryReport,
  eventsNamed,
  feedbackReport,
  suppressions,
} from '../../harness/smtp/bounce-mail.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

interface Sent {
  id: string;
  threadId: string;
  returnPath: string;
}

/** Sends to one recipient and waits until his host has it. */
const sendTo = async (instance: TestInstance, recipient: string): Promise<Sent> => {
  const client = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await client.messages.send({ to: [recipient], subject: 'Hi', body: recipient });
  const message = await eventually(async () => {
    const found = await client.messages.get({ id });
    return found.status === 'delivered' && found;
  });
  const received = instance.receiver.messages.find(({ rcptTo }) => rcptTo[0] === recipient);
  return { id, threadId: message.thread_id ?? '', returnPath: received?.mailFrom ?? '' };
};

const report = (instance: TestInstance, returnPath: string, raw: string) =>
  sendMail(instance.smtpPort, { from: '', to: [returnPath], raw });

t.test('a bounce that comes later turns a delivered mail to bounced, once', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const { id, threadId, returnPath } = await sendTo(instance, 'carol@remote.test');
  t.match(await report(instance, returnPath, deliveryReport({ recipient: 'carol@remote.test' })), /^250/);

  const message = await ann.messages.get({ id });
  t.equal(message.status, 'bounced');
  t.match(message.deliveries, [
    {
      address: 'carol@remote.test',
      status: 'bounced',
      code: 550,
      enhanced_code: '5.1.1',
      response: '550 5.1.1 <carol@remote.test>: User unknown',
      remote_host: 'mx.remote.test',
      next_attempt_at: null,
    },
  ]);
  t.same(
    (await eventsNamed(instance, 'message.bounced')).map(({ data }) => data),
    [{ message_id: id, thread_id: threadId, to: ['carol@remote.test'], subject: 'Hi', bounce_type: 'permanent' }],
  );
  t.match(await suppressions(instance), [
    { address: 'carol@remote.test', reason: 'bounce', bounce_type: 'permanent', message_id: id, until: null },
  ]);
  const refused = await instance.request(instance.agents.ann, 'POST', '/v1/messages', {
    to: ['Carol@remote.test'],
    subject: 'x',
    body: 'y',
  });
  t.equal(refused.status, 422);
  t.match(await refused.json(), { status: 'rejected', reason: /^recipient_suppressed: ?carol@remote\.test$/i });

  const thread = await ann.threads.get({ id: threadId });
  t.match(thread.messages, [{ direction: 'out' }, { direction: 'in', subject: 'Undelivered Mail Returned to Sender' }]);
  t.equal((await eventsNamed(instance, 'message.received')).length, 1, 'the report itself is mail');

  await report(instance, returnPath, deliveryReport({ recipient: 'carol@remote.test', status: '5.7.1' }));
  t.same(await bouncedTypes(instance), ['permanent'], 'a second bounce changes nothing');
  t.match(await suppressions(instance), [{ bounce_type: 'permanent' }]);
  const traced = await eventually(async () => {
    const { stdout } = await runCli(instance.configPath, 'trace', 'carol@remote.test');
    return stdout.includes('bounced') && stdout;
  });
  t.match(traced, / delivered .*\n.*\n\S+Z +bounced +unknown_recipient +to=carol@remote\.test attempt=1 code=550\n/);
  t.equal(traced.match(/bounced/g)?.length, 1);

  await ann.suppressions.remove({ address: 'carol@remote.test' });
  t.same(await suppressions(instance), []);
  t.equal((await ann.messages.send({ to: ['carol@remote.test'], subject: 'x', body: 'y' })).status, 'sent');
  t.same(instance.faults, []);
});

t.test('blocked and expired suppress for 24 hours', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const blocked = await sendTo(instance, 'blocked@remote.test');
  const full = await sendTo(instance, 'full@remote.test');
  const diagnostic = 'smtp; 554 5.7.1 Client host blocked using zen.spamhaus.org';
  await report(
    instance,
    blocked.returnPath,
    deliveryReport({ recipient: 'blocked@remote.test', status: '5.0.0', diagnostic }),
  );
  await report(
    instance,
    full.returnPath,
    deliveryReport({ recipient: 'full@remote.test', status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }),
  );
  t.same(await bouncedTypes(instance), ['blocked', 'expired']);
  const listed = await suppressions(instance);
  t.match(listed, [
    { address: 'full@remote.test', reason: 'bounce', bounce_type: 'expired', message_id: full.id },
    { address: 'blocked@remote.test', reason: 'bounce', bounce_type: 'blocked', message_id: blocked.id },
  ]);
  for (const { until, created_at } of listed) {
    const hours = (Date.parse(until ?? '') - Date.parse(created_at)) / 3_600_000;
    t.ok(hours > 23.99 && hours <= 24, `for ${hours} hours`);
  }
  clock.ahead = DAY;
  t.same(await suppressions(instance), []);
});

t.test('what is no bounce changes nothing', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const { id, threadId, returnPath } = await sendTo(instance, 'carol@remote.test');
  const recipient = 'carol@remote.test';
  const harmless = [
    deliveryReport({ recipient, action: 'delayed', status: '4.4.7' }),
    deliveryReport({ recipient, action: 'delivered', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    deliveryReport({ recipient, action: 'relayed', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    deliveryReport({ recipient, action: 'expanded', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    feedbackReport('not-spam', returnPath),
    feedbackReport('auth-failure', returnPath),
  ];
  for (const raw of harmless) t.match(await report(instance, returnPath, raw), /^250/);
  t.match(
    await sendMail(instance.smtpPort, {
      from: '',
      to: [returnPath],
      headers: { Subject: 'Automatic reply: Hi', 'Auto-Submitted': 'auto-replied' },
      text: 'I am away until Monday. Mail to user unknown could not be delivered: 550 5.1.1.',
    }),
    /^250/,
  );
  t.equal((await ann.messages.get({ id })).status, 'delivered');
  t.same(await bouncedTypes(instance), []);
  t.same(await eventsNamed(instance, 'message.complained'), []);
  t.same(await suppressions(instance), []);
  t.equal((await ann.threads.get({ id: threadId })).messages.length, 1 + harmless.length + 1, 'all of it can be read');
});

t.test('a complaint suppresses for good and outweighs a bounce', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const { id, threadId, returnPath } = await sendTo(instance, 'carol@remote.test');
  await report(instance, returnPath, feedbackReport('abuse', returnPath));
  const message = await ann.messages.get({ id });
  t.equal(message.status, 'complained');
  t.match(message.deliveries, [{ status: 'complained', code: 250 }]);
  t.same(
    (await eventsNamed(instance, 'message.complained')).map(({ data }) => data),
    [{ message_id: id, thread_id: threadId, to: ['carol@remote.test'], subject: 'Hi' }],
  );
  const complaint = { reason: 'complaint', bounce_type: null, message_id: id, until: null };
  t.match(await suppressions(instance), [{ address: 'carol@remote.test', ...complaint }]);
  await report(instance, returnPath, feedbackReport('abuse', returnPath));
  await report(instance, returnPath, deliveryReport({ recipient: 'carol@remote.test' }));
  t.equal((await eventsNamed(instance, 'message.complained')).length, 1);
  t.same(await bouncedTypes(instance), []);
  t.match(await suppressions(instance), [complaint]);

  const dave = await sendTo(instance, 'dave@remote.test');
  await report(instance, dave.returnPath, deliveryReport({ recipient: 'dave@remote.test' }));
  await report(instance, dave.returnPath, feedbackReport('abuse', dave.returnPath));
  t.equal((await ann.messages.get({ id: dave.id })).status, 'complained');

  const listed = await cliJson(instance.configPath, 'suppressions', 'list', '--workspace', instance.workspace.slug);
  t.match(listed, { suppressions: [{ address: 'dave@remote.test', ...complaint, message_id: dave.id }, complaint] });
  await cliJson(
    instance.configPath,
    'suppressions',
    'remove',
    'dave@remote.test',
    '--workspace',
    instance.workspace.slug,
  );
  t.match(await suppressions(instance), [complaint]);
  t.equal((await suppressions(instance)).length, 1, 'lifted by the CLI');
});

t.test('a forged report changes nothing', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const carol = await sendTo(instance, 'carol@remote.test');
  const dave = await sendTo(instance, 'dave@remote.test');
  const other = await instance.addWorkspace('Other');
  const [token = '', domain = ''] = carol.returnPath.split('@');
  const raw = deliveryReport({ recipient: 'carol@remote.test' });

  const flip = (at: number) => `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`;
  const spliced = `${token.slice(0, 28)}${dave.returnPath.slice(28).split('@')[0]}`;
  const forged = [
    `${flip(token.length - 3)}@${domain}`,
    `${flip(6)}@${domain}`,
    `${spliced}@${domain}`,
    `b-${'a'.repeat(token.length - 2)}@${domain}`,
    `${token}@${other.slug}.agents.box.test`,
    `${token}@agents.box.test`,
    `${token}@elsewhere.test`,
  ];
  for (const to of forged) t.match(await refusalOf(instance.smtpPort, { from: '', to: [to], raw }), /^550 5\.1\.1/, to);

  const elsewhere = [
    instance.agents.ann.address,
    'postmaster@acme.agents.box.test',
    'abuse@acme.agents.box.test',
    'fbl@acme.agents.box.test',
  ];
  for (const to of elsewhere) {
    t.match(
      await sendMail(instance.smtpPort, { from: '', to: [to], raw: raw.replace('sender@example', carol.returnPath) }),
      /^250/,
    );
    const complaint = feedbackReport('abuse', carol.returnPath);
    t.match(await sendMail(instance.smtpPort, { from: '', to: [to], raw: complaint }), /^250/, to);
  }
  for (const { id } of [carol, dave]) t.equal((await ann.messages.get({ id })).status, 'delivered');
  t.same(await suppressions(instance), []);

  // Whatever a report says of others, it counts for the one recipient whose return path it came to.
  await report(instance, carol.returnPath, deliveryReport({ recipient: 'dave@remote.test' }));
  t.equal((await ann.messages.get({ id: dave.id })).status, 'delivered');
  t.equal((await ann.messages.get({ id: carol.id })).status, 'bounced');
  t.same(await suppressions(instance), [], 'and of her address it says nothing');
  t.same(instance.faults, []);
});

t.test('a bounce is taken whatever its From and its DMARC, and in any letter case', async (t) => {
  await using instance = await startInstance();
  instance.dns.zone.set('strict.test', 'TXT', ['v=spf1 -all']);
  instance.dns.zone.set('_dmarc.strict.test', 'TXT', ['v=DMARC1; p=reject']);
  const { id, returnPath } = await sendTo(instance, 'carol@remote.test');
  const raw = deliveryReport({ recipient: 'carol@remote.test' }).replace(/^From:.*\r\n/, 'From: MAILER-DAEMON <>\r\n');
  t.match(await report(instance, returnPath.toUpperCase(), raw), /^250/);
  t.equal((await instance.client(instance.agents.ann).messages.get({ id })).status, 'bounced');
  const dave = await sendTo(instance, 'dave@remote.test');
  const strict = deliveryReport({ recipient: 'dave@remote.test' }).replace(/mx\.remote\.test>/, 'strict.test>');
  t.match(await report(instance, dave.returnPath, strict), /^250/);
  t.equal((await instance.client(instance.agents.ann).messages.get({ id: dave.id })).status, 'bounced');
});

t.test('a bounce that overtakes the reply to DATA stands', async (t) => {
  let bounce: (returnPath: string) => Promise<unknown> = async () => undefined;
  const receiver: InstanceOptions['receiver'] = {
    onData: async ({ mailFrom }) => {
      await bounce(mailFrom);
      return undefined;
    },
  };
  await using instance = await startInstance({ receiver });
  bounce = (returnPath) => report(instance, returnPath, deliveryReport({ recipient: 'carol@remote.test' }));
  const ann = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  await instance.receiver.waitFor(1);
  // Long enough for the worker to have read the reply and settled.
  await instance.daemon.outbound.stop(5_000);
  t.match(await ann.messages.get({ id }), {
    status: 'bounced',
    deliveries: [{ status: 'bounced', next_attempt_at: null }],
  });
  t.same(await eventsNamed(instance, 'message.delivered'), []);
  t.same(await bouncedTypes(instance), ['permanent']);
});

t.test('complaints throttle, then pause', async (t) => {
  await using instance = await startInstance();
  await instance.inStore((store) =>
    store.write((tx) => addOutcomes(tx, instance.workspace.id, Date.now(), { ended: 500, mails: 500 })),
  );
  for (const name of ['one', 'two', 'three']) {
    const { returnPath } = await sendTo(instance, `${name}@remote.test`);
    await report(instance, returnPath, feedbackReport('abuse', returnPath));
  }
  const states = (await instance.events()).filter(({ name }) => name.startsWith('workspace.'));
  t.match(states, [{ name: 'workspace.throttled' }, { name: 'workspace.paused', data: { reason: 'complaint_rate' } }]);
  t.equal((await instance.findWorkspace()).sendingState, 'paused');
  const told = () => instance.receiver.messages.find(({ rcptTo }) => rcptTo[0] === 'owner@remote.test');
  t.match(`${(await eventually(async () => told())).raw}`, /Complaints reached 0\.60 %/);
});

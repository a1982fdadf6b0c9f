import t from 'tap';
import { addOutcomes } from '../../../src/store/sending/outcomes.ts';
import { type BoxOptions, startBox, type TestBox } from '../../harness/box.ts';
import { cliJson } from '../../harness/cli.ts';
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
const sendTo = async (box: TestBox, recipient: string): Promise<Sent> => {
  const client = box.client(box.agents.ann);
  const { messageId: id = '' } = await client.messages.send({ to: [recipient], subject: 'Hi', body: recipient });
  const message = await eventually(async () => {
    const found = await client.messages.get({ id });
    return found.status === 'delivered' && found;
  });
  const received = box.receiver.messages.find(({ rcptTo }) => rcptTo[0] === recipient);
  return { id, threadId: message.thread_id ?? '', returnPath: received?.mailFrom ?? '' };
};

const report = (box: TestBox, returnPath: string, raw: string) =>
  sendMail(box.smtpPort, { from: '', to: [returnPath], raw });

t.test('a bounce that comes later turns a delivered mail to bounced, once', async (t) => {
  await using box = await startBox();
  const ann = box.client(box.agents.ann);
  const { id, threadId, returnPath } = await sendTo(box, 'carol@remote.test');
  t.match(await report(box, returnPath, deliveryReport({ recipient: 'carol@remote.test' })), /^250/);

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
    (await eventsNamed(box, 'message.bounced')).map(({ data }) => data),
    [{ message_id: id, thread_id: threadId, to: ['carol@remote.test'], subject: 'Hi', bounce_type: 'permanent' }],
  );
  t.match(await suppressions(box), [
    { address: 'carol@remote.test', reason: 'bounce', bounce_type: 'permanent', message_id: id, until: null },
  ]);
  const refused = await box.request(box.agents.ann, 'POST', '/v1/messages', {
    to: ['Carol@remote.test'],
    subject: 'x',
    body: 'y',
  });
  t.equal(refused.status, 422);
  t.match(await refused.json(), { status: 'rejected', reason: /^recipient_suppressed: ?carol@remote\.test$/i });

  const thread = await ann.threads.get({ id: threadId });
  t.match(thread.messages, [{ direction: 'out' }, { direction: 'in', subject: 'Undelivered Mail Returned to Sender' }]);
  t.equal((await eventsNamed(box, 'message.received')).length, 1, 'the report itself is mail');

  await report(box, returnPath, deliveryReport({ recipient: 'carol@remote.test', status: '5.7.1' }));
  t.same(await bouncedTypes(box), ['permanent'], 'a second bounce changes nothing');
  t.match(await suppressions(box), [{ bounce_type: 'permanent' }]);

  await ann.suppressions.remove({ address: 'carol@remote.test' });
  t.same(await suppressions(box), []);
  t.equal((await ann.messages.send({ to: ['carol@remote.test'], subject: 'x', body: 'y' })).status, 'sent');
  t.same(box.faults, []);
});

t.test('blocked and expired suppress for 24 hours', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using box = await startBox({ surroundings: { clock } });
  const blocked = await sendTo(box, 'blocked@remote.test');
  const full = await sendTo(box, 'full@remote.test');
  const diagnostic = 'smtp; 554 5.7.1 Client host blocked using zen.spamhaus.org';
  await report(
    box,
    blocked.returnPath,
    deliveryReport({ recipient: 'blocked@remote.test', status: '5.0.0', diagnostic }),
  );
  await report(
    box,
    full.returnPath,
    deliveryReport({ recipient: 'full@remote.test', status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }),
  );
  t.same(await bouncedTypes(box), ['blocked', 'expired']);
  const listed = await suppressions(box);
  t.match(listed, [
    { address: 'full@remote.test', reason: 'bounce', bounce_type: 'expired', message_id: full.id },
    { address: 'blocked@remote.test', reason: 'bounce', bounce_type: 'blocked', message_id: blocked.id },
  ]);
  for (const { until, created_at } of listed) {
    const hours = (Date.parse(until ?? '') - Date.parse(created_at)) / 3_600_000;
    t.ok(hours > 23.99 && hours <= 24, `for ${hours} hours`);
  }
  clock.ahead = DAY;
  t.same(await suppressions(box), []);
});

t.test('what is no bounce changes nothing', async (t) => {
  await using box = await startBox();
  const ann = box.client(box.agents.ann);
  const { id, threadId, returnPath } = await sendTo(box, 'carol@remote.test');
  const recipient = 'carol@remote.test';
  const harmless = [
    deliveryReport({ recipient, action: 'delayed', status: '4.4.7' }),
    deliveryReport({ recipient, action: 'delivered', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    deliveryReport({ recipient, action: 'relayed', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    deliveryReport({ recipient, action: 'expanded', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    feedbackReport('not-spam', returnPath),
    feedbackReport('auth-failure', returnPath),
  ];
  for (const raw of harmless) t.match(await report(box, returnPath, raw), /^250/);
  t.match(
    await sendMail(box.smtpPort, {
      from: '',
      to: [returnPath],
      headers: { Subject: 'Automatic reply: Hi', 'Auto-Submitted': 'auto-replied' },
      text: 'I am away until Monday. Mail to user unknown could not be delivered: 550 5.1.1.',
    }),
    /^250/,
  );
  t.equal((await ann.messages.get({ id })).status, 'delivered');
  t.same(await bouncedTypes(box), []);
  t.same(await eventsNamed(box, 'message.complained'), []);
  t.same(await suppressions(box), []);
  t.equal((await ann.threads.get({ id: threadId })).messages.length, 1 + harmless.length + 1, 'all of it can be read');
});

t.test('a complaint suppresses for good and outweighs a bounce', async (t) => {
  await using box = await startBox();
  const ann = box.client(box.agents.ann);
  const { id, threadId, returnPath } = await sendTo(box, 'carol@remote.test');
  await report(box, returnPath, feedbackReport('abuse', returnPath));
  const message = await ann.messages.get({ id });
  t.equal(message.status, 'complained');
  t.match(message.deliveries, [{ status: 'complained', code: 250 }]);
  t.same(
    (await eventsNamed(box, 'message.complained')).map(({ data }) => data),
    [{ message_id: id, thread_id: threadId, to: ['carol@remote.test'], subject: 'Hi' }],
  );
  const complaint = { reason: 'complaint', bounce_type: null, message_id: id, until: null };
  t.match(await suppressions(box), [{ address: 'carol@remote.test', ...complaint }]);
  await report(box, returnPath, feedbackReport('abuse', returnPath));
  await report(box, returnPath, deliveryReport({ recipient: 'carol@remote.test' }));
  t.equal((await eventsNamed(box, 'message.complained')).length, 1);
  t.same(await bouncedTypes(box), []);
  t.match(await suppressions(box), [complaint]);

  const dave = await sendTo(box, 'dave@remote.test');
  await report(box, dave.returnPath, deliveryReport({ recipient: 'dave@remote.test' }));
  await report(box, dave.returnPath, feedbackReport('abuse', dave.returnPath));
  t.equal((await ann.messages.get({ id: dave.id })).status, 'complained');

  const listed = await cliJson(box.configPath, 'suppressions', 'list', '--workspace', box.workspace.slug);
  t.match(listed, { suppressions: [{ address: 'dave@remote.test', ...complaint, message_id: dave.id }, complaint] });
  await cliJson(box.configPath, 'suppressions', 'remove', 'dave@remote.test', '--workspace', box.workspace.slug);
  t.match(await suppressions(box), [complaint]);
  t.equal((await suppressions(box)).length, 1, 'lifted by the CLI');
});

t.test('a forged report changes nothing', async (t) => {
  await using box = await startBox();
  const ann = box.client(box.agents.ann);
  const carol = await sendTo(box, 'carol@remote.test');
  const dave = await sendTo(box, 'dave@remote.test');
  const other = await box.addWorkspace('Other');
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
  for (const to of forged) t.match(await refusalOf(box.smtpPort, { from: '', to: [to], raw }), /^550 5\.1\.1/, to);

  const elsewhere = [
    box.agents.ann.address,
    'postmaster@acme.agents.box.test',
    'abuse@acme.agents.box.test',
    'fbl@acme.agents.box.test',
  ];
  for (const to of elsewhere) {
    t.match(
      await sendMail(box.smtpPort, { from: '', to: [to], raw: raw.replace('sender@example', carol.returnPath) }),
      /^250/,
    );
    const complaint = feedbackReport('abuse', carol.returnPath);
    t.match(await sendMail(box.smtpPort, { from: '', to: [to], raw: complaint }), /^250/, to);
  }
  for (const { id } of [carol, dave]) t.equal((await ann.messages.get({ id })).status, 'delivered');
  t.same(await suppressions(box), []);

  // Whatever a report says of others, it counts for the one recipient whose return path it came to.
  await report(box, carol.returnPath, deliveryReport({ recipient: 'dave@remote.test' }));
  t.equal((await ann.messages.get({ id: dave.id })).status, 'delivered');
  t.equal((await ann.messages.get({ id: carol.id })).status, 'bounced');
  t.same(await suppressions(box), [], 'and of her address it says nothing');
  t.same(box.faults, []);
});

t.test('a bounce is taken whatever its From and its DMARC, and in any letter case', async (t) => {
  await using box = await startBox();
  box.dns.zone.set('strict.test', 'TXT', ['v=spf1 -all']);
  box.dns.zone.set('_dmarc.strict.test', 'TXT', ['v=DMARC1; p=reject']);
  const { id, returnPath } = await sendTo(box, 'carol@remote.test');
  const raw = deliveryReport({ recipient: 'carol@remote.test' }).replace(/^From:.*\r\n/, 'From: MAILER-DAEMON <>\r\n');
  t.match(await report(box, returnPath.toUpperCase(), raw), /^250/);
  t.equal((await box.client(box.agents.ann).messages.get({ id })).status, 'bounced');
  const dave = await sendTo(box, 'dave@remote.test');
  const strict = deliveryReport({ recipient: 'dave@remote.test' }).replace(/mx\.remote\.test>/, 'strict.test>');
  t.match(await report(box, dave.returnPath, strict), /^250/);
  t.equal((await box.client(box.agents.ann).messages.get({ id: dave.id })).status, 'bounced');
});

t.test('a bounce that overtakes the reply to DATA stands', async (t) => {
  let bounce: (returnPath: string) => Promise<unknown> = async () => undefined;
  const receiver: BoxOptions['receiver'] = {
    onData: async ({ mailFrom }) => {
      await bounce(mailFrom);
      return undefined;
    },
  };
  await using box = await startBox({ receiver });
  bounce = (returnPath) => report(box, returnPath, deliveryReport({ recipient: 'carol@remote.test' }));
  const ann = box.client(box.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  await box.receiver.waitFor(1);
  // Long enough for the worker to have read the reply and settled.
  await box.daemon.outbound.stop(5_000);
  t.match(await ann.messages.get({ id }), {
    status: 'bounced',
    deliveries: [{ status: 'bounced', next_attempt_at: null }],
  });
  t.same(await eventsNamed(box, 'message.delivered'), []);
  t.same(await bouncedTypes(box), ['permanent']);
});

t.test('complaints throttle, then pause', async (t) => {
  await using box = await startBox();
  await box.inStore((store) =>
    store.write((tx) => addOutcomes(tx, box.workspace.id, Date.now(), { ended: 500, mails: 500 })),
  );
  for (const name of ['one', 'two', 'three']) {
    const { returnPath } = await sendTo(box, `${name}@remote.test`);
    await report(box, returnPath, feedbackReport('abuse', returnPath));
  }
  const states = (await box.events()).filter(({ name }) => name.startsWith('workspace.'));
  t.match(states, [{ name: 'workspace.throttled' }, { name: 'workspace.paused', data: { reason: 'complaint_rate' } }]);
  t.equal((await box.findWorkspace()).sendingState, 'paused');
});

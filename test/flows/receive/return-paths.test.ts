import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { deliveryReport, eventsNamed, feedbackReport } from '../../harness/smtp/bounce-mail.ts';
import { eventually, plainMail, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

/** Ann writes to Carol. @returns what stood in the envelope, once the mail is delivered */
const returnPathOf = async (instance: TestInstance): Promise<{ id: string; threadId: string; returnPath: string }> => {
  const ann = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi.' });
  const message = await eventually(async () => {
    const found = await ann.messages.get({ id });
    return found.status === 'delivered' && found;
  });
  const received = instance.receiver.messages.findLast(({ rcptTo }) => rcptTo.includes('carol@remote.test'));
  return { id, threadId: message.thread_id ?? '', returnPath: received?.mailFrom ?? '' };
};

const inbound = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).messages.list({})).messages.filter(({ direction }) => direction === 'in');

const publish = ({ dns: { zone } }: TestInstance): void => {
  zone.set('bank.test', 'TXT', ['v=spf1 -all']);
  zone.set('_dmarc.bank.test', 'TXT', ['v=DMARC1; p=reject']);
  zone.set('evil.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
};

t.test('a return path bypasses neither DMARC nor the identity filter', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const ann = instance.client(instance.agents.ann);
  const { returnPath } = await returnPathOf(instance);
  const to = [returnPath];
  const forged = { from: 'x@evil.test', to, headers: { From: 'ceo@bank.test' } };
  t.match(await refusalOf(instance.smtpPort, forged), /^550 5\.7\.26/);
  for (const headers of [
    { 'Auto-Submitted': 'auto-replied' },
    { Precedence: 'bulk' },
    { 'List-Id': '<l.bank.test>' },
  ]) {
    const mail = { ...forged, headers: { ...forged.headers, ...headers } };
    t.match(await refusalOf(instance.smtpPort, mail), /^550 5\.7\.26/, JSON.stringify(headers));
  }
  t.match(
    await refusalOf(instance.smtpPort, { ...forged, from: '' }),
    /^550 5\.7\.26/,
    'the null sender proves nothing',
  );

  const twice = plainMail({ headers: { From: 'ceo@bank.test' } }).replace('\r\n', '\r\nFrom: x@evil.test\r\n');
  t.match(await refusalOf(instance.smtpPort, { from: '', to, raw: twice }), /^550 5\.7\.1 A mail needs one From/);

  await ann.identity.update({ filter_mode: 'whitelist' });
  const stranger = { from: 'x@evil.test', to, headers: { From: 'x@evil.test', Subject: 'Let me in' } };
  t.match(await refusalOf(instance.smtpPort, stranger), /^550 5\.7\.1 The recipient takes no mail from this sender/);
  const listed = { ...stranger, headers: { ...stranger.headers, 'List-Id': '<l.evil.test>' } };
  t.match(await refusalOf(instance.smtpPort, listed), /^550 5\.7\.1/, 'what a list sends on is no report');
  t.match(await eventsNamed(instance, 'message.filtered'), [
    { data: { reason: 'not_whitelisted', subject: 'Let me in' } },
    { data: { reason: 'not_whitelisted' } },
  ]);
  await ann.identity.update({ filter_mode: 'blacklist' });
  await ann.identity.createRule({ match: 'domain', value: 'evil.test', action: 'block' });
  t.match(await refusalOf(instance.smtpPort, stranger), /^550 5\.7\.1/, 'nor from a blocked sender');
  t.same(await inbound(instance), []);
  t.same(instance.faults, []);
});

t.test('other mail to a return path is accepted as mail to the mailbox', async (t) => {
  await using instance = await startInstance();
  const { returnPath, threadId } = await returnPathOf(instance);
  instance.dns.zone.set('remote.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const to = [returnPath, instance.agents.ann.address];
  t.match(await sendMail(instance.smtpPort, { to, headers: { Subject: 'A new matter' } }), /^250/);
  const [letter, ...more] = await inbound(instance);
  t.match(letter, { subject: 'A new matter', from: 'Carol <carol@remote.test>' });
  t.not(letter?.thread_id, threadId, 'in a thread of its own');
  t.same(more, [], 'once');

  const challenge = { Subject: 'Please confirm', To: returnPath };
  t.match(await sendMail(instance.smtpPort, { to: [returnPath], headers: challenge }), /^250/);
  t.match((await inbound(instance))[0], { subject: 'Please confirm', to: [instance.agents.ann.address] });
});

t.test('reports and automatic mail come in, whatever the filter says, for 30 days', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  publish(instance);
  const { returnPath, threadId } = await returnPathOf(instance);
  await instance.client(instance.agents.ann).identity.update({ filter_mode: 'whitelist' });
  const to = [returnPath];
  const named = `Ann <${returnPath}>, dave@remote.test`;
  const away = { 'Auto-Submitted': 'auto-replied', From: 'x@evil.test', Subject: 'Away', To: named };
  t.match(await sendMail(instance.smtpPort, { from: 'x@evil.test', to, headers: away }), /^250/);
  const note = { From: 'mailer@evil.test', Subject: 'Note' };
  t.match(await sendMail(instance.smtpPort, { from: '', to, headers: note }), /^250/, 'the null sender’s');
  const complaint = feedbackReport('not-spam', returnPath);
  t.match(await sendMail(instance.smtpPort, { from: 'fbl@evil.test', to, raw: complaint }), /^250/);
  const bounce = deliveryReport({ recipient: 'carol@remote.test' }).replace(/<MAILER.*>/, '<postmaster@bank.test>');
  t.match(await sendMail(instance.smtpPort, { from: '', to, raw: bounce }), /^250/, 'hosts sign no bounces');
  const authors = deliveryReport({ recipient: 'carol@remote.test' }).replace(
    /^From:.*/,
    'From: ceo@bank.test, a@b.test',
  );
  t.match(await sendMail(instance.smtpPort, { from: 'x@evil.test', to, raw: authors }), /^250/, 'whatever its From');
  const also = { from: 'x@evil.test', to: [...to, instance.agents.bob.address], raw: authors };
  t.match(await refusalOf(instance.smtpPort, also), /^550 5\.7\.1/, 'but not where a mailbox gets it too');
  const found = await inbound(instance);
  t.equal(found[0]?.from, 'x@evil.test', 'which is not shown then');
  t.equal(found.length, 5);
  t.same(
    found.at(-1)?.to,
    [`Ann <${instance.agents.ann.address}>`, 'dave@remote.test'],
    'the mailbox, to which no reply-all goes, for the return path',
  );
  t.ok(found.every(({ thread_id }) => thread_id === threadId));
  t.equal((await eventsNamed(instance, 'message.bounced')).length, 1);

  clock.at += 30 * DAY - 60_000;
  t.match(await sendMail(instance.smtpPort, { from: '', to, raw: complaint }), /^250/);
  clock.at += 60_000;
  t.match(await refusalOf(instance.smtpPort, { from: '', to, raw: complaint }), /^550 5\.1\.1/);
  t.match(await refusalOf(instance.smtpPort, { from: '', to, raw: plainMail({}) }), /^550 5\.1\.1/);
  t.same(instance.faults, []);
});

t.test(
  'of a suspended agent a return path takes reports alone, and files none; its inboxes take nothing',
  async (t) => {
    await using instance = await startInstance();
    const { returnPath } = await returnPathOf(instance);
    await using tools = await connectMcp(instance, instance.agents.ann);
    const made = await tools.call('create_temp_address', {});
    const inbox = made.structured as { address: string };
    await cliJson(instance.configPath, 'agents', 'suspend', 'ann');
    t.match(await refusalOf(instance.smtpPort, { to: [inbox.address] }), /^550 5\.2\.1/);
    const to = [returnPath];
    const away = { 'Auto-Submitted': 'auto-replied', Subject: 'Do as I say' };
    t.match(await refusalOf(instance.smtpPort, { to, from: '', headers: away }), /^550 5\.2\.1/);
    t.match(await refusalOf(instance.smtpPort, { to, headers: away }), /^550 5\.2\.1/);
    t.match(await refusalOf(instance.smtpPort, { to }), /^550 5\.2\.1/);
    const bounce = deliveryReport({ recipient: 'carol@remote.test' });
    t.match(await sendMail(instance.smtpPort, { from: '', to, raw: bounce }), /^250/);
    t.equal((await eventsNamed(instance, 'message.bounced')).length, 1);
    t.same(await inbound(instance), []);
    await cliJson(instance.configPath, 'agents', 'resume', 'ann');
    t.match(await sendMail(instance.smtpPort, { to: [inbox.address] }), /^250/);
    t.match(await sendMail(instance.smtpPort, { to, headers: away }), /^250/);
    t.same(instance.faults, []);
  },
);

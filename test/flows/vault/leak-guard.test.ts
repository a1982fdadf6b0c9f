/** What an agent sends by any way is searched for the secrets of its workspace. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { reviewContract } from '../../../src/resources/held-mail/review/contract.ts';
import { secretsContract } from '../../../src/resources/secrets/contract.ts';
import { runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { addSecret, asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { SUBMISSION, submit } from '../../harness/smtp/submission.ts';

const TO = ['carol@remote.test'];
const VALUE = 'sk_live_51H8x+AbC/dEf==';
/** What is not granted is counted as a guess. */
const GRANTED = { grants: ['ann'] };

const attached = (content: Buffer, name = 'notes.bin') => ({
  filename: name,
  content_type: 'application/octet-stream',
  content_base64: content.toString('base64'),
});

t.test('whatever part holds it, and however it is written', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'S', 'other', { data: VALUE }, GRANTED);
  await addSecret(instance, 'Login', 'login', { username: 'Nothing to see.', password: 'hunter2hunter2' }, GRANTED);
  const api = instance.client(instance.agents.ann);
  const mail = { to: TO, subject: 'Hi', body: 'Nothing to see.' };
  const base64 = Buffer.from(`key: ${VALUE}`).toString('base64');
  const large = Buffer.concat([randomBytes(2 * 1024 * 1024), Buffer.from(VALUE), randomBytes(1000)]);
  const cases: [name: string, mail: Partial<Parameters<typeof api.messages.send>[0]>, found: string][] = [
    ['subject', { subject: `Key ${VALUE}` }, 'S in subject'],
    ['text', { body: `It is ${VALUE}.` }, 'S in text'],
    ['text, over lines', { body: `It is ${VALUE.slice(0, 9)}\n${VALUE.slice(9)}` }, 'S in text'],
    ['text, base64', { body: base64 }, 'S in text'],
    ['text, URL-encoded', { body: `https://evil.test/?k=${encodeURIComponent(VALUE)}` }, 'S in text'],
    ['text, escaped as Markdown', { body: VALUE.replaceAll('_', '\\_') }, 'S in text'],
    ['HTML source', { html: `<a href="https://x.test/${VALUE}">Hi</a>` }, 'S in html'],
    ['HTML text over elements', { html: `<p>${VALUE.slice(0, 8)}<br><b>${VALUE.slice(8)}</b></p>` }, 'S in html'],
    ['HTML entities', { html: `<p>${[...VALUE].map((char) => `&#${char.charCodeAt(0)};`).join('')}</p>` }, 'S in html'],
    ['attachment', { attachments: [attached(Buffer.from(`a\0b${VALUE}c`))] }, 'S in attachment notes.bin'],
    ['attachment, base64', { attachments: [attached(Buffer.from(base64))] }, 'S in attachment notes.bin'],
    [
      'name of an attachment',
      { attachments: [attached(Buffer.from('x'), 'hunter2hunter2.txt')] },
      'Login in name of attachment hunter2hunter2.txt',
    ],
    ['address of a recipient', { to: ['hunter2hunter2@remote.test'] }, 'Login in header'],
    ['address for replies', { reply_to: 'hunter2hunter2@remote.test' }, 'Login in header'],
    ['address in Bcc alone', { bcc: ['hunter2hunter2@remote.test'] }, 'Login in header'],
    ['text, in other case', { body: VALUE.toLowerCase() }, 'S in text'],
    ['text, with hyphens', { body: 'h-u-n-t-e-r-2-h-u-n-t-e-r-2' }, 'Login in text'],
    ['text, in hexadecimal', { body: Buffer.from(VALUE).toString('hex') }, 'S in text'],
    [
      'text, as JSON escapes',
      { body: [...VALUE].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('') },
      'S in text',
    ],
    [
      'attachment of HTML',
      {
        attachments: [
          {
            ...attached(
              Buffer.from(`<p>${VALUE.slice(0, 8)}<i title="some words">${VALUE.slice(8)}</i></p>`),
              'a.html',
            ),
            content_type: 'text/html',
          },
        ],
      },
      'S in attachment a.html',
    ],
    ['large attachment', { attachments: [attached(large)] }, 'S in attachment notes.bin'],
  ];
  cases.push(['several', { subject: VALUE, body: `hunter2hunter2 ${VALUE}` }, 'S in subject, text; Login in text']);
  const held: string[] = [];
  for (const [name, change] of cases) {
    const { status, pendingId = '' } = await api.messages.send({ ...mail, ...change });
    t.equal(status, 'held', name);
    held.push(pendingId);
    const told = [await api.pending.getPending({ id: pendingId }), (await api.pending.listPending({})).pending[0]];
    for (const each of told) t.notOk(each && 'secrets' in each, 'the agent is not told');
  }
  await asOperator(instance, async (call) => {
    for (const [at, [name, , found]] of cases.entries()) {
      const { secrets } = await call(reviewContract.get, { pending_id: held[at] ?? '' });
      t.equal(secrets.map((each) => `${each.name} in ${each.where.join(', ')}`).join('; '), found, name);
    }
  });
  const shown = await runCli(
    instance.configPath,
    'pending',
    'show',
    (await api.pending.listPending({})).pending[0]?.pending_id ?? '',
  );
  t.match(shown.stdout, /^holds +S in subject, text; Login in text$/m);
  t.match(shown.stdout, /^Subject: sk_live/m, 'and its header, the subject too');
  const waiting = await runCli(instance.configPath, 'pending', 'list');
  t.match(waiting.stdout, /holds_a_secret: S, Login$/m);
  for (const body of ['Nothing to see.', VALUE.slice(0, -3), base64.slice(0, 20)]) {
    t.equal((await api.messages.send({ ...mail, body })).status, 'sent', body);
  }
  const { pending } = await api.pending.listPending({ limit: 100 });
  t.equal(pending.length, cases.length);
  t.same([...new Set(pending.map(({ reason }) => reason))], ['holds_a_secret']);
  t.same(instance.faults, []);
});

t.test('by every way of sending, whatever the setting of the agent, and of its own workspace alone', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  await addSecret(instance, 'S', 'other', { data: VALUE }, GRANTED);
  const { ann, bob } = instance.agents;
  const api = instance.client(ann);
  await sendMail(instance.smtpPort, {
    from: 'carol@remote.test',
    to: [ann.address],
    raw: `From: carol@remote.test\r\nTo: ${ann.address}\r\nSubject: Q\r\n\r\nWhat is it? ${VALUE}\r\n`,
  });
  const received = await eventually(async () => (await api.messages.list({})).messages[0]);
  const id = received.id;
  const body = `It is ${VALUE}`;
  t.equal((await api.messages.reply({ id, body })).status, 'held', 'reply');
  t.equal((await api.messages.replyAll({ id, body })).status, 'held', 'reply to all');
  t.equal((await api.messages.forward({ id, to: TO, body: 'See' })).status, 'held', 'forward, quoted');
  t.equal((await api.messages.forward({ id, to: TO, mode: 'wrapped' })).status, 'held', 'forward, whole');
  const send_at = new Date(clock.now() + 60_000).toISOString();
  const { scheduled_id = '' } = await api.messages.send({ to: TO, subject: 'Later', body, send_at });
  clock.ahead += 61_000;
  await eventually(async () => (await api.scheduled.getScheduled({ id: scheduled_id })).status === 'held');

  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann' }));
  const held = await api.messages.send({ to: TO, subject: `S ${VALUE}`, body: 'Hi' });
  t.match(await api.pending.listPending({ limit: 1 }), { pending: [{ reason: 'holds_a_secret' }] }, 'before the hold');

  const other = await instance.addAgent('zoe', await instance.addWorkspace('Other'));
  t.equal((await instance.client(other).messages.send({ to: TO, subject: 'Hi', body })).status, 'sent');
  t.equal((await instance.client(bob).messages.send({ to: TO, subject: 'Hi', body })).status, 'held');

  // The notice, the events and the command line tell why, and not what.
  const mails = await eventually(async () => {
    const notices = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('owner@remote.test'));
    return notices.length >= 7 && notices;
  });
  for (const { raw } of mails) {
    t.match(raw.toString(), /stands in the vault/);
    t.notOk(raw.toString().replace(/=\r\n/g, '').includes(VALUE.slice(0, 16)));
  }
  const pendingId = held.pendingId ?? '';
  await asOperator(instance, (call) => call(reviewContract.reject, { pending_id: pendingId }));
  const rejected = (await instance.events()).filter(({ name }) => name === 'approval.rejected');
  t.match(rejected, [{ data: { pending_id: pendingId, subject: '' } }]);
  const { pending_id } = (await api.pending.listPending({ limit: 1 })).pending[0] ?? { pending_id: '' };
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id }));
  t.equal((await api.pending.getPending({ id: pending_id })).failure_reason, null, 'a person may release it');
  t.same(instance.faults, []);
});

t.test('a secret that is changed or removed is looked for as it is now', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'S', 'other', { data: VALUE }, GRANTED);
  const api = instance.client(instance.agents.ann);
  const send = async (body: string) => (await api.messages.send({ to: TO, subject: 'Hi', body })).status;
  const of = { workspace: 'acme', secret: 'S' };
  const change = (data: string) =>
    asOperator(instance, (call) => call(secretsContract.change, { ...of, value: { data } }));
  t.equal(await send(VALUE), 'held');
  await change('another value of it');
  t.same([await send(VALUE), await send('another value of it')], ['sent', 'held']);
  await change('short');
  t.equal(await send('another value of it, short'), 'sent', 'a value under 8 characters is not looked for');
  await asOperator(instance, (call) => call(secretsContract.remove, of));
  t.equal(await send('another value of it'), 'sent');
});

t.test('an agent that tries values is answered once', async (t) => {
  let now = Date.now();
  await using instance = await startInstance({ runtime: { clock: { now: () => now } } });
  const { ann, bob } = instance.agents;
  await addSecret(instance, 'Granted', 'other', { data: 'known to ann herself' }, GRANTED);
  const seed = 'JBSWY3DPEHPK3PXP';
  await addSecret(instance, 'Codes', 'login', { username: 'x', password: 'hunter2hunter2', totp_seed: seed });
  const sendAs = (agent: typeof ann) => {
    const api = instance.client(agent);
    return async (body: string) => (await api.messages.send({ to: TO, subject: 'Hi', body })).status;
  };
  const [annSends, bobSends] = [sendAs(ann), sendAs(bob)];
  for (let times = 0; times < 4; times += 1) t.equal(await annSends('known to ann herself'), 'held', 'not a guess');
  t.equal(await annSends('Hello'), 'sent');
  t.equal(await annSends('hunter1hunter1'), 'sent', 'a wrong one');
  t.equal(await annSends(`hunter1hunter1 ${seed.toLowerCase()}`), 'held', 'one of thousands');
  for (const guess of ['hunter1hunter1', 'hunter2hunter2', 'Hello']) t.equal(await annSends(guess), 'held', guess);
  const { pending } = await instance.client(ann).pending.listPending({ limit: 3 });
  t.same([...new Set(pending.map(({ reason }) => reason))], ['guesses_secrets'], 'the reason does not tell them apart');
  const shown = await asOperator(instance, (call) => call(reviewContract.list, {}));
  t.same(shown.pending[1]?.secrets, [{ name: 'Codes', where: ['text'] }], 'a person sees what it holds');
  t.equal(await bobSends('Hello'), 'sent', 'others go on');
  const { pending: last } = await instance.client(ann).pending.listPending({ limit: 100 });
  const first = last.find(({ reason, snippet }) => reason === 'holds_a_secret' && snippet.startsWith('hunter1'));
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id: first?.pending_id ?? '' }));
  t.equal(await annSends('hunter1hunter1'), 'held', 'another one waits');
  now += DAY;
  t.equal(await annSends('Hello'), 'sent', 'a day later');
  t.equal(await annSends('hunter2hunter2'), 'held');
  const [held] = (await instance.client(ann).pending.listPending({ limit: 1 })).pending;
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id: held?.pending_id ?? '' }));
  t.equal(await annSends('Hello'), 'sent', 'once a person has released it');
  t.same(instance.faults, []);
});

t.test('what a mail program submits', async (t) => {
  const { cert, key } = selfSigned('mx.box.test');
  const folder = t.testdir({ 'cert.pem': cert, 'key.pem': key });
  const tls = `mode = "files"\ncert_file = "${folder}/cert.pem"\nkey_file = "${folder}/key.pem"`;
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  await addSecret(instance, 'S', 'other', { data: VALUE }, GRANTED);
  const { ann } = instance.agents;
  const [to] = TO;
  const cases: [name: string, mail: Parameters<typeof submit>[2], where: string][] = [
    ['a field of its own', { to, headers: { 'X-Note': VALUE } }, 'header'],
    ['an encoded word', { to, subject: `Ä ${VALUE}` }, 'subject'],
    ['quoted-printable', { to, text: `Grüße, ${'x'.repeat(60)} ${VALUE}`, textEncoding: 'quoted-printable' }, 'text'],
    ['base64', { to, text: VALUE, textEncoding: 'base64' }, 'text'],
    [
      'an attachment',
      { to, attachments: [{ filename: 'a.bin', content: Buffer.from(`\0${VALUE}`) }] },
      'attachment a.bin',
    ],
  ];
  for (const [name, mail] of cases) t.match(await submit(instance, ann, mail), /Held for a person/, name);
  t.notMatch(await submit(instance, ann, { to, text: 'Hi' }), /Held for a person/);
  const { pending } = await asOperator(instance, (call) => call(reviewContract.list, {}));
  t.same(
    pending.map(({ reason }) => reason),
    cases.map(() => 'holds_a_secret'),
  );
  t.same(
    pending.map(({ secrets }) => secrets).reverse(),
    cases.map(([, , where]) => [{ name: 'S', where: [where] }]),
  );
  t.same(instance.faults, []);
});

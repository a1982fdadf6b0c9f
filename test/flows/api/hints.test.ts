/** A refusal says which field it is about, what was given and what is wanted. */

import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { deliveryReport } from '../../harness/smtp/bounce-mail.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('hints name the field, the entry and an example', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const mail = { to: ['a@remote.test'], subject: 's', body: 'b' };
  const cases: [method: string, path: string, body: object | undefined, error: string, hint: RegExp][] = [
    [
      'POST',
      '/v1/messages',
      { ...mail, to: ['a@remote.test', 'nonsense'] },
      'invalid_email',
      /^`to\.1`, not "nonsense": .*a@example\.com/,
    ],
    ['POST', '/v1/messages', { ...mail, cc: ['@'] }, 'invalid_email', /^`cc\.0`, not "@"/],
    ['POST', '/v1/messages', { ...mail, subject: 7 }, 'invalid_request', /^`subject` is a string, not 7\.$/],
    ['POST', '/v1/messages', { to: mail.to, body: 'b' }, 'invalid_request', /^`subject` is missing; give a string\.$/],
    [
      'POST',
      '/v1/messages',
      { ...mail, send_at: 'tomorrow' },
      'invalid_request',
      /^`send_at` is an ISO 8601 time with its zone, as 2026-11-21T09:00:00Z, not "tomorrow"\.$/,
    ],
    [
      'POST',
      '/v1/messages',
      { ...mail, reply_to_message_id: 'seven' },
      'invalid_request',
      /^`reply_to_message_id` is a UUID, not "seven"\.$/,
    ],
    [
      'POST',
      '/v1/messages',
      { ...mail, colour: 'red' },
      'invalid_request',
      /^There is no field `colour`; there are `to`, `cc`, .*`send_at`\.$/,
    ],
    [
      'POST',
      '/v1/messages',
      { ...mail, subjct: 's' },
      'invalid_request',
      /^There is no field `subjct`; the nearest is `subject`; there are `to`, .*`send_at`\.$/,
    ],
    [
      'POST',
      '/v1/messages',
      { ...mail, subject: 'x'.repeat(999) },
      'invalid_request',
      /^`subject` has at most 998 characters, not "x{79}…\.$/,
    ],
    [
      'POST',
      '/v1/messages/01890000-0000-7000-8000-000000000000/archive',
      { read: true },
      'invalid_request',
      /^There is no field `read`; the nearest is `unread`; there are `archived`, `unread`\.$/,
    ],
    ['GET', '/v1/messages?limt=1', undefined, 'invalid_request', /^`limt` .*query; the nearest is `limit`; there are /],
    ['GET', '/v1/messages?limit=101', undefined, 'invalid_request', /^`limit` is at most 100, not 101\.$/],
    ['GET', '/v1/messages?limit=ten', undefined, 'invalid_request', /^`limit` is a number, not "ten"\.$/],
    ['GET', '/v1/messages?limit=1.5', undefined, 'invalid_request', /^`limit` is a whole number, not 1\.5\.$/],
    [
      'POST',
      '/v1/messages',
      { ...mail, undo_seconds: 1.5 },
      'invalid_request',
      /^`undo_seconds` is a whole number, not 1\.5\.$/,
    ],
    [
      'POST',
      '/v1/identity/rules',
      { match: 'all', value: 'x', action: 'allow' },
      'invalid_request',
      /^`match` is one of "exact_email", "domain", not "all"\.$/,
    ],
    ['PATCH', '/v1/identity', { handle: 'No' }, 'invalid_handle', /^A handle is 3 to 63/],
  ];
  for (const [method, path, body, error, hint] of cases) {
    const reply = await instance.request(ann, method, path, body);
    t.equal(reply.status, 400);
    t.match(await reply.json(), { error, hint }, `${method} ${path} ${JSON.stringify(body ?? {}).slice(0, 80)}`);
  }
});

t.test('a suppression that ends says when', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const to = ['full@remote.test'];
  const { messageId: id = '' } = await ann.messages.send({ to, subject: 'Hi', body: 'Hi' });
  await eventually(async () => (await ann.messages.get({ id })).status === 'delivered');
  const report = deliveryReport({
    recipient: 'full@remote.test',
    status: '4.2.2',
    diagnostic: 'smtp; 452 4.2.2 Mailbox full',
  });
  await sendMail(instance.smtpPort, { from: '', to: [instance.receiver.messages[0]?.mailFrom ?? ''], raw: report });
  const { until } = (await ann.suppressions.list()).suppressions[0] ?? {};
  t.match(await ann.messages.send({ to, subject: 'Hi', body: 'Hi' }), {
    status: 'rejected',
    reason: 'recipient_suppressed:full@remote.test',
    retryAfter: until ?? '',
  });
  await instance.suppress('gone@remote.test');
  const both = await ann.messages.send({ to: [...to, 'gone@remote.test'], subject: 'Hi', body: 'Hi' });
  t.notOk('retryAfter' in both, 'waiting does not help where one is for good');
});

/** Operations that became tools by their contracts alone. */

import t from 'tap';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('a webhook by tools: made, tested, delivered to, replayed, deleted', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  await using ann = await connectMcp(instance, instance.agents.ann);
  receiver.answer((_request, response) => response.writeHead(202).end('thanks'));
  const { structured: made } = await ann.call('create_webhook', {
    url: hooks.url('/in'),
    events: ['message.received'],
  });
  t.match(made, { secret: /^whsec_/, active: true });
  const webhook_id = made.id;
  const tested = await ann.call('test_webhook', { webhook_id });
  t.match(tested.structured, { delivered: true, response_body: null, made_by: 'ann' });
  t.match(
    tested.texts.slice(1).join('\n'),
    /^Written by the server of an endpoint[\s\S]*thanks/,
    'what it answered is no word of ours',
  );
  await hooks.mail();
  await receiver.waitFor(2);
  const delivery_id = await eventually(async () => {
    const { deliveries } = (await ann.call('list_deliveries')).told as { deliveries: { delivery_id: string }[] };
    return deliveries[0]?.delivery_id;
  });
  t.match((await ann.call('replay_delivery', { delivery_id })).told, { delivery_id, delivered: true });
  const [, second, third] = await receiver.waitFor(3);
  t.ok(second && third?.body.equals(second.body), 'byte for byte');
  t.match((await ann.call('list_deliveries', { webhook_id, limit: 1 })).told.deliveries, [{ webhook_id }]);
  t.match((await ann.call('update_webhook', { webhook_id, active: false })).told, { active: false });
  t.match((await ann.call('replay_delivery', { delivery_id: 'evt_none' })).refusal, { error: 'not_found' });
  t.match((await ann.call('create_webhook', { url: 'http://hooks.test', events: ['message.sent'] })).refusal, {
    error: 'https_url_required',
  });
  t.same((await ann.call('delete_webhook', { webhook_id })).told, { deleted: true });
  t.same((await ann.call('list_webhooks')).told, { webhooks: [] });
  t.same(instance.faults, []);
});

t.test('wait_for_email: what matches, what has come since, and where to go on', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await using agent = await connectMcp(instance, ann);
  const begun = Promise.withResolvers<void>();
  const waiting = agent.call(
    'wait_for_email',
    { from: 'dave@', subject: 'INVOICE', timeout_seconds: 50 },
    { onprogress: () => begun.resolve() },
  );
  await begun.promise;
  const mail = (from: string, subject: string) =>
    sendMail(instance.smtpPort, { from, to: [ann.address], headers: { From: from, Subject: subject } });
  await mail('carol@remote.test', 'Invoice 1');
  await mail('dave@remote.test', 'Other');
  await mail('dave@remote.test', 'Your invoice 7');
  const { told: first } = await waiting;
  t.match(first, { timed_out: false, message: { from: 'dave@remote.test', subject: 'Your invoice 7' } });
  const args = { since: first.next_since, timeout_seconds: 0 };
  t.match((await agent.call('wait_for_email', args)).told, { message: null, timed_out: true });
  await mail('carol@remote.test', 'Later');
  t.match((await agent.call('wait_for_email', args)).told, { message: { subject: 'Later' }, timed_out: false });
  t.match((await agent.call('wait_for_email', { timeout_seconds: -1 })).refusal, {
    error: 'invalid_request',
    hint: /^`timeout_seconds`/,
  });
});

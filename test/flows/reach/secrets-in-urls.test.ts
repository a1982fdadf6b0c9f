/** A value of the vault does not leave by what an agent sets up. */

import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { addSecret } from '../../harness/operator.ts';

const VALUE = 'sk_live_51H8xAbCdEf';

t.test('in webhook URLs, header values and templates, in knowledge URLs and in domains', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'S', 'other', { data: VALUE }, { grants: ['ann'] });
  const { ann } = instance.agents;
  instance.dns.zone.set('hooks.peer.test', 'A', ['127.0.0.1']);
  const url = 'https://hooks.peer.test/in';
  const hex = Buffer.from(VALUE).toString('hex');
  const refusal = async (method: string, path: string, body: object) => {
    const reply = await instance.request(ann, method, path, body);
    return [reply.status, ((await reply.json()) as { error?: string }).error];
  };
  const refused = [400, 'holds_a_secret'];
  const events = ['message.received'];
  for (const change of [
    { url: `${url}?q=${VALUE}` },
    { url: `${url}/${hex}` },
    { url, headers: { 'x-note': Buffer.from(VALUE).toString('base64') } },
    { url, template: { text: VALUE.toUpperCase().split('').join('-') } },
    { url, template: { text: `${VALUE.slice(0, 8)}{{event}}${VALUE.slice(8)}` } },
    { url, headers: { [VALUE.replaceAll('_', '-')]: 'x' } },
  ]) {
    t.same(await refusal('POST', '/v1/webhooks', { events, ...change }), refused, JSON.stringify(change));
  }
  // What is no header is not searched: it may be long.
  const headers = { 'x-note': `${VALUE}\n` };
  t.same(await refusal('POST', '/v1/webhooks', { url, events, headers }), [400, 'invalid_header_value']);
  const made = await instance.client(ann).webhooks.create({ url, events: ['message.received'] });
  t.same(await refusal('PATCH', `/v1/webhooks?id=${made.id}`, { url: `${url}/${VALUE}` }), refused);
  for (const path of [VALUE, encodeURIComponent(encodeURIComponent(`${VALUE}?`)), hex]) {
    const source = { kind: 'page', url: `https://hooks.peer.test/${path}` };
    t.same(await refusal('POST', '/v1/knowledge/sources', source), refused, path);
  }
  // Each check of a domain asks its name servers for it.
  for (const label of [hex, VALUE.replaceAll('_', '-')]) {
    t.same(await refusal('POST', '/v1/domains', { domain: `${label}.peer.test` }), refused, label);
  }
  t.same(instance.faults, []);
});

t.test('in the event of a mail that is held for it', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'S', 'other', { data: VALUE }, { grants: ['ann'] });
  const mail = { to: [`out+${VALUE}@remote.test`], subject: VALUE, body: 'Hi' };
  const held = await instance.client(instance.agents.ann).messages.send(mail);
  t.match(held, { status: 'held' });
  await instance.client(instance.agents.ann).pending.cancelPending({ id: held.pendingId ?? '' });
  const told = (await instance.events()).filter(({ name }) => name.startsWith('approval.'));
  t.match(
    told.map(({ name }) => name),
    ['approval.requested', 'approval.rejected'],
  );
  t.notMatch(JSON.stringify(told), VALUE);
});

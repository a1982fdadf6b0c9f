/** An owner of two workspaces who works in one of them reaches and sees nothing of the other. */

import t from 'tap';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

type Call = [path: string, input: Record<string, unknown>];

t.test('what an owner names by its id, and what it lists, is of the workspace that it works in', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  const other = await instance.addWorkspace('Elsewhere');
  const eve = await instance.addAgent('eve', other);
  const there = async (path: string, input: object) => {
    const { status, body } = await owner.call(path, input, other.slug);
    t.equal(status, 200, `${path} there`);
    return body;
  };

  const { identity, messages, webhooks } = instance.client(eve);
  const mail = { to: ['carol@remote.test'], subject: 'Offer', body: 'Our offer.' };
  await there('webhooks/create', { url: 'https://hooks.test/', events: ['message.sent'] });
  const { messageId } = await messages.send(mail);
  const { threads } = await there('inbox/threads', { agent: 'eve', show: 'all' });
  instance.dns.zone.fail('slow.test', 'SERVFAIL');
  await messages.send({ ...mail, to: ['dave@slow.test'] });
  const attachment = { filename: 'a.txt', content_type: 'text/plain', content_base64: 'YQ==' };
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const { scheduled_id } = await messages.send({ ...mail, send_at });
  await there('agents/hold', { agent: 'eve' });
  const { pendingId: pending_id } = await messages.send({ ...mail, attachments: [attachment] });
  const { mailbox_id } = await identity.get({});
  const hook = { url: 'https://hooks.test/', mailbox_id };
  const { id: webhookId } = await webhooks.create({ ...hook, events: ['message.received'] });
  const { draft_id } = await there('writing/save', { agent: 'eve', kind: 'new', subject: 'Draft' });
  const { files } = await there('writing/attach', { draft_id, ...attachment });
  const contact = await there('contacts/create', {
    given_name: 'Dave',
    channels: [{ kind: 'email', value: 'dave@remote.test' }],
  });
  const second = await there('contacts/create', { given_name: 'David' });
  const list = await there('contactLists/create', { name: 'Friends' });
  const note = await there('notes/create', { body: 'A note.' });
  const source = await there('knowledge/add', { kind: 'text', body: 'A text.' });
  const secret = await there('secrets/add', { name: 'Portal', type: 'api_key', value: { key: 'a-long-value' } });
  const { digest } = await there('heldMail/get', { pending_id });
  const waiting = await there('heldMail/get', { pending_id: webhookId });

  const ofMail = { agent: 'ann', id: messageId };
  const members = { id: list.id, contact_ids: [contact.id] };
  const written = { kind: 'reply', message_id: messageId };
  const calls: Call[] = [
    ...['html', 'links', 'raw'].map((act): Call => [`heldParts/${act}`, { pending_id }]),
    ...['attachment', 'preview'].map((act): Call => [`heldParts/${act}`, { pending_id, filename: 'a.txt' }]),
    ...['message', 'html', 'raw', 'flag'].map((act): Call => [`mail/${act}`, ofMail]),
    ['mail/thread', { agent: 'ann', id: threads[0].id }],
    ['writing/begin', { agent: 'ann', ...written }],
    ['writing/draft', { draft_id }],
    ['correspondence/list', { id: contact.id }],
    ['contacts/get', { id: contact.id }],
    ['contacts/update', { id: contact.id, given_name: 'D' }],
    ['contacts/keepApart', { one_id: contact.id, other_id: second.id }],
    ['contacts/remember', { id: contact.id, fact: 'Likes tea.' }],
    ['contactLists/get', { id: list.id }],
    ['contactLists/update', { id: list.id, name: 'Others' }],
    ['contactLists/addMembers', members],
    ['contactImport/import', { csv: 'email\na@remote.test', list_id: list.id }],
    ['notes/get', { id: note.id }],
    ['notes/update', { id: note.id, title: 'Tea' }],
    ['notes/grant', { id: note.id, agents: null }],
    ['knowledge/get', { id: source.id }],
    ['secrets/get', { id: secret.id }],
    ['secrets/change', { secret: 'Portal', tags: ['x'] }],
    ['webhooks/update', { id: webhookId, active: false }],
    ['webhooks/deliveries', { webhook_id: webhookId }],
    ['booked/change', { scheduled_id, send_at }],
    ['heldMail/edit', { pending_id, digest, subject: 'Another' }],
    ['contactLists/removeMembers', members],
    ['contactLists/remove', { id: list.id }],
    ['contacts/merge', { survivor_id: contact.id, loser_id: second.id }],
    ['contacts/remove', { id: contact.id }],
    ['notes/remove', { id: note.id }],
    ['knowledge/remove', { id: source.id }],
    ['secrets/remove', { secret: 'Portal' }],
    ['booked/cancel', { scheduled_id }],
    ['heldMail/approve', { pending_id: webhookId, digest: waiting.digest }],
    ['webhooks/remove', { id: webhookId }],
    ['heldMail/reject', { pending_id }],
    ['writing/detach', { draft_id, file_id: files?.[0]?.id }],
  ];
  for (const [path, input] of calls) {
    const { status, body } = await owner.call(path, input, 'acme');
    t.match([status, body], [404, { error: /not_found/ }], path);
  }
  t.match((await owner.call('writing/discard', { draft_id }, 'acme')).body, { discarded: false });

  await eventually(async () => (await there('webhooks/deliveries', {})).deliveries.length > 0);
  const lists = [
    ...['contacts/list', 'contacts/duplicates', 'contactLists/list', 'notes/list', 'knowledge/list', 'secrets/list'],
    ...['knowledge/home', 'suppressions/list', 'webhooks/list', 'webhooks/deliveries', 'heldMail/list', 'agents/list'],
    ...['heldMail/decided', 'queue/list', 'booked/list', 'writing/drafts', 'inbox/threads', 'keys/list', 'home/needs'],
  ];
  const search = { q: 'text' };
  const seen = [
    ...lists.map((path) => [path, {}] as const),
    ...[['contacts/list', { q: 'dave' }] as const, ['inbox/search', { q: 'offer' }] as const],
    ...[['knowledge/search', search] as const, ['contacts/list', { lookup: 'dave@remote.test' }] as const],
  ];
  for (const [path, input] of seen) {
    const { status, body } = await owner.call(path, input, 'acme');
    t.equal(status, 200, path);
    t.notMatch(
      JSON.stringify(body),
      /"eve"|eve@|Dave|Offer|Portal|Friends|A note|A text|Draft|slow\.test|hooks\.test/,
      path,
    );
  }
  const { body: rows } = await owner.call('contactPreview/csv', { csv: 'email\ndave@remote.test' }, 'acme');
  t.match(rows.counts, { create: 1, exists: 0 }, 'known there alone');
  const { body: plan } = await owner.call('plan/get', {}, 'acme');
  const used = plan.parts.map((each: { used: number }) => each.used);
  t.same(used, [2, 0, 0, 0], 'and of the other nothing is counted');
  // Those that answer with bytes have the ids of others.
  for (const [path, input] of calls.filter(([path]) => !/html|raw|attachment|preview/.test(path))) {
    await there(path, input.agent === 'ann' ? { ...input, agent: 'eve' } : input);
  }
});

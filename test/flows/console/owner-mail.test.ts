/** Mail that an owner writes in the name of an agent: drafts, files, sending by the agent's gate. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import type { Browser } from '../../harness/http/browser.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

let instance: TestInstance;
let owner: Browser;
t.before(async () => {
  instance = await startInstance();
  owner = await signInOwner(instance);
});
t.teardown(() => instance[Symbol.asyncDispose]());

const write = async (act: string, input: object) => (await owner.call(`writing/${act}`, input)).body;

t.test('an owner sends as an agent: its changes, the mail and the activity say who', async (t) => {
  const { ann, bob } = instance.agents;
  const changes = instance.client(ann).changes;
  const { next_cursor: cursor } = await changes.list({});
  const mail = { agent: 'ann', kind: 'new', to: [bob.address], subject: 'Price list', body: 'Here it *is*.' };
  const sent = await write('send', mail);
  t.match(sent, { status: 'sent', messageId: String });
  // Deliveries are told as soon as they end.
  const listSent = async () => (await changes.list({ cursor })).changes.filter(({ event }) => event === 'message.sent');
  t.match(await listSent(), [{ message_id: sent.messageId, sent_by: OWNER }]);
  const { body: detail } = await owner.call('mail/message', { agent: 'ann', id: sent.messageId });
  t.match(detail, { via: 'console', sent_by: OWNER, direction: 'out', from: new RegExp(ann.address) });
  const { body: thread } = await owner.call('mail/thread', { agent: 'ann', id: detail.thread_id });
  t.match(thread.messages, [{ id: sent.messageId, sent_by: OWNER }]);
  const [act] = await listActs(instance);
  t.match(act, { action: 'message.send', actor: OWNER, subject: 'ann', detail: { message_id: sent.messageId } });
  await instance.client(ann).messages.send({ to: [bob.address], subject: 'By itself', body: 'x' });
  const own = (await listSent()).at(-1);
  t.match(own, { subject: 'By itself' });
  t.notOk(own && 'sent_by' in own, 'what the agent sends names no one');

  t.match(await owner.call('writing/send', { ...mail, body: ' ' }), { status: 400, body: { error: 'body_required' } });
  t.match(await owner.call('writing/send', { ...mail, to: ['nobody'] }), { body: { error: 'invalid_email' } });
  t.match(await owner.call('writing/send', { ...mail, kind: 'reply' }), { status: 400 });
  t.match(await owner.call('writing/send', { ...mail, agent: 'none' }), { status: 404 });
  await owner.call('agents/suspend', { agent: 'ann' });
  t.match(await write('send', mail), { status: 'rejected', reason: 'mailbox_inactive' });
  await owner.call('agents/resume', { agent: 'ann' });
});

t.test('an answer begins with its recipients, is kept as a draft, and goes with its files', async (t) => {
  const { ann } = instance.agents;
  const from = 'Ines <ines@remote.test>';
  const raw = `From: ${from}\r\nTo: ${ann.address}\r\nCc: karl@remote.test\r\nSubject: Offer\r\nMessage-ID: <o@remote.test>\r\n\r\nWell?`;
  await sendMail(instance.smtpPort, { to: [ann.address], raw });
  const client = instance.client(ann);
  const offer = await eventually(async () =>
    (await client.messages.list({})).messages.find(({ subject }) => subject === 'Offer'),
  );
  const about = { agent: 'ann', message_id: offer?.id };
  t.match(await write('begin', { ...about, kind: 'reply' }), {
    ...{ draft_id: null, to: [from], cc: [], subject: 'Re: Offer', original: { from } },
  });
  t.match(await write('begin', { ...about, kind: 'reply_all' }), { to: [from], cc: ['karl@remote.test'] });
  t.match(await write('begin', { ...about, kind: 'forward' }), { to: [], subject: 'Fwd: Offer' });
  const reply = { ...about, kind: 'reply_all', to: [from, 'kar'], subject: 'Re: Offer', body: 'We ac' };
  const { draft_id } = await write('save', reply);
  await write('save', { ...reply, draft_id, body: 'We accept.' });
  const file = { draft_id, filename: 'plan.txt', content_type: 'text/plain' };
  const { files } = await write('attach', { ...file, content_base64: Buffer.from('A plan').toString('base64') });
  await write('attach', { ...file, content_base64: Buffer.from('Another').toString('base64') });
  await write('detach', { draft_id, file_id: files[0].id });
  const again = await owner.call('writing/detach', { draft_id, file_id: files[0].id });
  t.match(again, { status: 404, body: { error: 'draft_file_not_found' } });
  const big = Buffer.alloc(10 * 1024 * 1024).toString('base64');
  t.match(await owner.call('writing/attach', { ...file, content_base64: big }), {
    ...{ status: 409, body: { error: 'draft_files_too_large' } },
  });
  t.match(await write('begin', { ...about, kind: 'reply_all' }), {
    ...{ draft_id, to: [from, 'kar'], body: 'We accept.', files: [{ filename: 'plan.txt', size: 7 }] },
  });
  t.match(await write('drafts', {}), { drafts: [{ draft_id, agent: 'ann', snippet: 'We accept.' }] });

  await asOperator(instance, (call) => call(contracts.owners.add, { email: 'jonas@remote.test', workspace: 'acme' }));
  const other = await signInOwner(instance, 'jonas@remote.test');
  t.match(await other.call('writing/drafts', {}), { body: { drafts: [] } }, 'each owner has drafts of their own');
  for (const [act, input] of [
    ['draft', { draft_id }],
    ['attach', { ...file, content_base64: '' }],
    ['save', { ...reply, draft_id }],
    ['send', { ...reply, to: [from], draft_id }],
  ] as const) {
    t.match(await other.call(`writing/${act}`, input), { status: 404, body: { error: 'draft_not_found' } }, act);
  }

  const sent = await write('send', { ...reply, draft_id, to: [from], cc: ['karl@remote.test'], body: 'We accept.' });
  t.match(sent, { status: 'sent' });
  const message = await client.messages.get({ id: sent.messageId });
  t.match(message, { thread_id: offer?.thread_id, attachments: [{ filename: 'plan.txt', size: 7 }] });
  t.match(await write('drafts', {}), { drafts: [] }, 'the draft went with the mail');
  const forward = { ...about, kind: 'forward', to: ['eve@remote.test'], cc: ['karl@remote.test'] };
  const forwarded = await write('send', { ...forward, subject: 'For you' });
  t.match(await client.messages.get({ id: forwarded.messageId }), {
    ...{ subject: 'For you', cc: ['karl@remote.test'], text: /Well\?/ },
  });
  const booked = await write('send', { ...reply, to: [from], send_at: new Date(Date.now() + 60_000).toISOString() });
  t.match(booked, { status: 'scheduled' });
  const { body: listed } = await owner.call('booked/list', {});
  t.match(listed, { booked: [{ scheduled_id: booked.scheduled_id, agent: 'ann', sent_by: OWNER }], next_cursor: null });
  const { body: whole } = await owner.call('booked/get', { scheduled_id: booked.scheduled_id });
  t.match(whole, { to: [from], cc: [], bcc: [], body: /\S/, has_html: false, filenames: [] });
  const later = await write('send', { ...reply, to: [from], send_at: new Date(Date.now() + 90_000).toISOString() });
  const { body: first } = await owner.call('booked/list', { limit: 1 });
  t.match(first.booked, [{ scheduled_id: booked.scheduled_id }], 'the soonest first');
  const { body: next } = await owner.call('booked/list', { limit: 1, cursor: first.next_cursor });
  t.match(next, { booked: [{ scheduled_id: later.scheduled_id }], next_cursor: null });
  t.match(await owner.call('booked/cancel', { scheduled_id: later.scheduled_id }), { status: 200 });
  const id = { scheduled_id: booked.scheduled_id };
  const send_at = new Date(Date.now() + 120_000).toISOString();
  t.match(await owner.call('booked/change', { ...id, send_at }), { status: 200, body: { send_at } });
  const past = { ...id, send_at: new Date(0).toISOString() };
  t.match(await owner.call('booked/change', past), { status: 400, body: { error: 'invalid_request' } });
  t.match(await other.call('booked/list', {}), { body: { booked: [{ send_at }] } }, 'every owner sees it');
  const { next_cursor: cursor } = await client.changes.list({});
  t.match(await owner.call('booked/cancel', id), { status: 200, body: { cancelled: true } });
  const { changes } = await client.changes.list({ cursor });
  const cancelled = changes.filter(({ event }) => event === 'scheduled.cancelled');
  t.match(cancelled, [{ cancelled_by: 'owner' }]);
  t.match((await listActs(instance))[0], { action: 'scheduled.cancel', actor: OWNER, subject: 'ann' });
  t.match(await owner.call('booked/cancel', id), { status: 409, body: { error: 'scheduled_over' } });
  t.match(await owner.call('booked/cancel', { scheduled_id: draft_id }), { status: 404 });
  t.match(await owner.call('work/list', {}), { body: { work: [] } });
});

/** Of mails with a file that raced it. */
let raced = 0;

t.test('a file that was taken goes with the mail, or the mail does not go without it', async (t) => {
  const { ann } = instance.agents;
  const mail = { agent: 'ann', kind: 'new', to: ['eve@remote.test'], subject: 'With a plan', body: 'See it.' };
  for (let round = 0; round < 10; round++) {
    const { draft_id } = await write('save', mail);
    const file = { draft_id, filename: 'plan.txt', content_type: 'text/plain', content_base64: btoa('A plan') };
    const [sent, attached] = await Promise.all([
      owner.call('writing/send', { ...mail, draft_id }),
      owner.call('writing/attach', file),
    ]);
    const { messageId: id = null } = sent.body as { messageId?: string };
    const files = id === null ? null : (await instance.client(ann).messages.get({ id })).attachments.length;
    t.equal(files ?? 1, attached.status === 200 ? 1 : 0, `${sent.status} and ${attached.status}`);
    if (id !== null) raced += 1;
    else t.match(sent, { status: 409, body: { error: 'revision_conflict' } });
  }
});

t.test('a day of an agent: mail by the hour, sends, holds; secrets that it read', async (t) => {
  const day = {
    since: new Date(Date.now() - 12 * 3_600_000).toISOString(),
    until: new Date(Date.now() + 60_000).toISOString(),
  };
  const { body } = await owner.call('agentDay/get', { agent: 'ann', ...day });
  t.match(body, { in: 1, out: 4 + raced, bounced: 0, secrets: [], holds: [] });
  t.equal(body.quota, null, 'the plan has none');
  t.match(body.replied, { mails: Number, median_seconds: Number });
  t.equal(body.hours.length, 13);
  t.match(body.hours.at(-1), { in: Number, out: Number });
  t.ok(
    body.sends.some(({ to }: { to: string[] }) => to.includes('karl@remote.test')),
    'who stands in Cc is counted',
  );
  t.match(body.sends.at(-1), { subject: 'Price list', via: 'console', sent_by: OWNER });
  const long = { agent: 'ann', since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' };
  t.match(await owner.call('agentDay/get', long), { status: 400, body: { error: 'invalid_request' } });
});

t.test('a list of drafts has the beginnings of their texts, and addresses of bounded length', async (t) => {
  const mail = { agent: 'ann', kind: 'new', subject: 'Long', body: `${'🙂'.repeat(150)}${'x'.repeat(900_000)}` };
  const to = Array.from({ length: 32 }, () => 'x'.repeat(998));
  const { draft_id } = await write('save', { ...mail, to });
  t.match(await write('drafts', {}), {
    drafts: { 0: { draft_id, to, snippet: `${'🙂'.repeat(150)}${'x'.repeat(50)}` } },
  });
  const longer = { ...mail, to: [...to, ...to.slice(1)] };
  t.match(await owner.call('writing/save', longer), { status: 400, body: { error: 'invalid_request', field: 'to' } });
  await write('discard', { draft_id });
});

t.test('of two sends of a draft at once, one is accepted', async (t) => {
  const { bob } = instance.agents;
  const mail = { agent: 'ann', kind: 'new', to: [bob.address], subject: 'Once alone', body: 'x' };
  const { draft_id } = await write('save', { ...mail, cc: [], bcc: [] });
  const replies = await Promise.all([1, 2, 3].map(() => owner.call('writing/send', { draft_id, ...mail })));
  t.same(replies.map(({ status }) => status).toSorted(), [200, 404, 404]);
  t.match(
    replies.find(({ status }) => status === 404),
    { body: { error: 'draft_not_found' } },
  );
  const sentMail = async () =>
    (await instance.client(instance.agents.ann).messages.list({ direction: 'out' })).messages.filter(
      ({ subject }) => subject === 'Once alone',
    );
  t.equal((await sentMail()).length, 1);
});

t.test('a draft that another window has changed is neither overwritten nor sent', async (t) => {
  const mail = { agent: 'ann', kind: 'new', to: ['carol@remote.test'], subject: 'Two windows', body: 'First words.' };
  const { draft_id, updated_at: kept_at } = await write('save', mail);
  await eventually(async () => {
    const longer = { ...mail, draft_id, kept_at, body: 'First words, and more.' };
    return (await write('save', longer)).updated_at !== kept_at;
  });
  for (const act of ['save', 'send']) {
    const stale = await owner.call(`writing/${act}`, { ...mail, draft_id, kept_at, body: 'First words!' });
    t.match(stale, { status: 404, body: { error: 'draft_not_found' } }, act);
  }
  t.match(await write('draft', { draft_id }), { body: 'First words, and more.' });
  await write('discard', { draft_id });
});

t.test('it is held as the mail of its agent is, and drafts are few', async (t) => {
  const { bob } = instance.agents;
  await owner.call('agents/hold', { agent: 'ann', hold: true });
  const draft = { agent: 'ann', kind: 'new', to: [bob.address], subject: 'Held', body: 'x' };
  const { draft_id } = await write('save', draft);
  t.match(await write('send', { ...draft, draft_id }), { status: 'held', reason: 'agent_on_hold' });
  const { body } = await owner.call('heldMail/list', {});
  t.match(body.pending, [{ subject: 'Held', sent_by: OWNER }]);
  const { drafts } = await write('drafts', {});
  t.notMatch(JSON.stringify(drafts), draft_id, 'what is held is out of the drafts');
  const { body: shown } = await owner.call('heldMail/get', { pending_id: body.pending[0].pending_id });
  const approved = { pending_id: shown.pending_id, digest: shown.digest };
  t.match(await owner.call('heldMail/approve', approved), { status: 200 });
  await owner.call('agents/hold', { agent: 'ann', hold: false });
  const day = {
    since: new Date(Date.now() - 60_000).toISOString(),
    until: new Date(Date.now() + 60_000).toISOString(),
  };
  const { body: looked } = await owner.call('agentDay/get', { agent: 'ann', ...day });
  t.match(looked.holds, [{ subject: 'Held', reason: 'agent_on_hold', sent_by: OWNER }]);

  for (let at = 0; at < 50; at += 1) await write('save', draft);
  t.match(await owner.call('writing/save', draft), { status: 409, body: { error: 'draft_limit_reached' } });
  const [first] = (await write('drafts', {})).drafts;
  t.match(await write('discard', { draft_id: first.draft_id }), { discarded: true });
  t.match(await write('discard', { draft_id: first.draft_id }), { discarded: false });
  await owner.call('agents/remove', { agent: 'ann' });
  t.match(await write('drafts', {}), { drafts: [] });
});

t.test('an answer that is being written is kept where its original is gone', async (t) => {
  const { bob } = instance.agents;
  await sendMail(instance.smtpPort, { to: [bob.address], headers: { Subject: 'Soon gone' } });
  const [original] = (await instance.client(bob).messages.list({ limit: 1 })).messages;
  const reply = { agent: 'bob', kind: 'reply', message_id: original?.id, to: [], subject: 'Re: Soon gone' };
  const { draft_id } = await write('save', { ...reply, body: 'Dear' });
  await instance.request(bob, 'DELETE', `/v1/messages/${original?.id}`);
  t.match(await write('save', { ...reply, draft_id, body: 'Dear Carol' }), { draft_id });
  t.match(await write('draft', { draft_id }), { body: 'Dear Carol', original: null });
  t.match(await owner.call('writing/save', reply), { status: 404, body: { error: 'message_not_found' } });
});

t.test('an owner who looks at sent mail, with all of its images, is no open of it', async (t) => {
  const [ann, bob] = [await instance.addAgent('teller'), await instance.addAgent('hearer')];
  const mail = { to: [bob.address], subject: 'Told', body: 'Read me.', track_opens: true };
  const { messageId: id = '' } = await instance.client(ann).messages.send(mail);
  const loadAll = async (agent: string, of: string) => {
    const frame = `/console/frame/mail/html?${new URLSearchParams({ agent, id: of, remote: 'true' })}`;
    const { html, status } = await owner.get(frame, { 'sec-fetch-site': 'same-origin' });
    t.equal(status, 200);
    const images = [...html.matchAll(/<img[^>]*src="([^"]+)"/g)].map(([, url = '']) => url);
    for (const url of images) await (await fetch(url)).arrayBuffer();
    return images.length;
  };
  const opens = async () => (await instance.client(ann).messages.get({ id })).opens.count;
  t.equal((await owner.call('mail/message', { agent: 'teller', id })).body.remote_images, 0);
  t.equal(await loadAll('teller', id), 0);
  t.equal(await opens(), 0);
  const got = await eventually(async () =>
    (await instance.client(bob).messages.list({})).messages.find(({ subject }) => subject === 'Told'),
  );
  t.equal(await loadAll('hearer', got.id), 1);
  t.equal(await opens(), 1, 'of the recipient it is one');
});

/** What the console alone may ask: home, an agent's mail, and the parts of held mail. */

import t from 'tap';
import { systemRuntime } from '../../../src/app/instance.ts';
import type { Address } from '../../../src/kernel/address.ts';
import { createIdSource, idToBytes } from '../../../src/kernel/ids.ts';
import { findRecipient } from '../../../src/store/accounts/recipient-lookup.ts';
import type { Browser } from '../../harness/http/browser.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { listActs } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { storeMails } from '../../harness/stored-mail.ts';

let instance: TestInstance;
let owner: Browser;
t.before(async () => {
  instance = await startInstance();
  owner = await signInOwner(instance);
});
t.teardown(() => instance[Symbol.asyncDispose]());

/** More threads than one statement looks through. */
const MANY = 600;

const HTML = `From: Ines <ines@remote.test>
To: ann@acme.agents.box.test
Subject: Pictures
Message-ID: <pictures@remote.test>
MIME-Version: 1.0
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html

<p style="color:red" onclick="alert(1)">Look <img src="https://tracker.example/x.gif"><img src="cid:logo@x"></p><script>alert(1)</script>
--b
Content-Type: image/png; name="logo.png"
Content-ID: <logo@x>
Content-Disposition: inline; filename="logo.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b--
`.replaceAll('\n', '\r\n');

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, instance.baseUrl), {
    headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin', ...headers },
  });

t.test('an owner reads the mail of an agent, and leaves it unread', async (t) => {
  const { ann, bob } = instance.agents;
  await sendMail(instance.smtpPort, { to: [ann.address], raw: HTML });
  const mail = instance.client(ann);
  await eventually(async () => (await mail.messages.list({})).messages.length === 1);
  const { body: listed } = await owner.call('inbox/threads', { agent: 'ann' });
  t.match(listed.threads, [{ subject: 'Pictures', unread_count: 1 }]);
  const { body: thread } = await owner.call('mail/thread', { agent: 'ann', id: listed.threads[0].id });
  const { id } = thread.messages[0];
  const { body: message } = await owner.call('mail/message', { agent: 'ann', id });
  t.match(message, {
    unread: true,
    remote_images: 1,
    via: null,
    subject: 'Pictures',
    authentication: { dmarc: String },
  });
  const threads = async (input: object) => (await owner.call('inbox/threads', { agent: 'ann', ...input })).body.threads;
  await owner.call('mail/flag', { agent: 'ann', id });
  t.same(await threads({}), [], 'archived: not among the open ones');
  t.match(await threads({ show: 'archived' }), [{ subject: 'Pictures', archived: true }]);
  t.match(await threads({ show: 'all' }), [{ subject: 'Pictures', archived: true }]);
  await owner.call('mail/flag', { agent: 'ann', id, archived: false });
  t.match(await threads({}), [{ subject: 'Pictures', archived: false }]);
  t.same(await threads({ show: 'archived' }), []);
  t.match(await owner.call('mail/search', { agent: 'ann', q: 'look' }), { body: { hits: [{ message_id: id }] } });
  t.match(await owner.call('mail/message', { agent: 'bob', id }), { status: 404 }, "another agent's");

  const framed = await get(`/console/frame/mail/html?workspace=acme&agent=ann&id=${id}`);
  t.equal(framed.headers.get('cache-control'), 'no-store, no-transform');
  t.equal(framed.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = framed.headers.get('content-security-policy') ?? '';
  t.match(policy, /default-src 'none'/);
  t.match(policy, /img-src 'self' data:;/);
  t.match(policy, /sandbox allow-same-origin allow-popups/);
  t.notMatch(policy, /allow-scripts|https:/);
  const html = await framed.text();
  t.notMatch(html, /tracker|onclick|script|cid:/);
  const image = /<img[^>]*src="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  t.match(image, /^\/console\/api\/mail\/attachment\?/);
  const logo = await get(image);
  t.same([logo.status, logo.headers.get('content-type')], [200, 'image/png']);
  t.match(logo.headers.get('content-disposition'), /^attachment/);
  const remote = await get(`/console/frame/mail/html?workspace=acme&agent=ann&id=${id}&remote=true&theme=dark`);
  t.match(remote.headers.get('content-security-policy'), /img-src 'self' data: https: http:/);
  t.match(await remote.text(), 'https://tracker.example/x.gif');
  t.equal((await get(`/console/frame/agents/list?workspace=acme`)).status, 404, 'no frame');
  t.equal((await get(`/console/frame/mail/html?workspace=acme&agent=ann&id=${id}&theme=x`)).status, 400);
  const foreign = await get(`/console/frame/mail/html?workspace=acme&agent=ann&id=${id}`, {
    'sec-fetch-site': 'cross-site',
  });
  t.equal(foreign.status, 403, 'in a page of another site');
  const bare = await get(new URL(framed.url).pathname + new URL(framed.url).search, { 'sec-fetch-dest': 'document' });
  t.equal(bare.status, 404, 'no window of its own');

  const raw = await get(`/console/api/mail/raw?workspace=acme&agent=ann&id=${id}`);
  t.equal(raw.headers.get('content-type'), 'message/rfc822');
  t.match(await raw.text(), 'cid:logo@x');
  t.equal((await get(`/console/api/mail/raw?agent=ann&id=${id}&more=1`)).status, 400);

  t.match((await mail.messages.list({ unread_only: true })).messages, [{ id }], 'nothing of this marked it read');
  await owner.call('mail/message', { agent: 'ann', id, mark_read: true });
  t.same((await mail.messages.list({ unread_only: true })).messages, []);
  t.match(await owner.call('mail/flag', { agent: 'ann', id, unread: true }), {
    body: { unread: true, archived: false },
  });
  t.match(await owner.call('mail/flag', { agent: 'ann', id }), { body: { archived: true } });

  const sent = await instance.client(bob).messages.send({ to: ['x@remote.test'], subject: 'By key', body: 'Hi' });
  const messageId = (sent as { messageId: string }).messageId;
  await eventually(async () => {
    const { body } = await owner.call('mail/message', { agent: 'bob', id: messageId });
    return body.status === 'delivered';
  });
  const { body: out } = await owner.call('mail/message', { agent: 'bob', id: messageId });
  t.match(out, { via: 'REST', deliveries: [{ status: 'delivered', response: /^250/ }] });
  const { activity } = (await owner.call('activity/list', { action: 'message' })).body;
  t.match(activity, [
    { action: /^message\.(?:send|reply)$/, actor: 'bob', via: 'REST', mail: { subject: out.subject } },
  ]);
});

t.test('home: needs, daily counts with rates and lines, and what each agent did', async (t) => {
  const { body: calm } = await owner.call('home/needs');
  t.match(calm, { needs: [], looked_at: { agents: 2, domains: 1, webhooks: 0 } });
  const { body: health } = await owner.call('home/sending');
  t.equal(health.days.length, 14);
  t.match(health.days.at(-1), { sent: 1, delivered: 1, bounced: 0, complained: 0, bounce_rate: 0 });
  t.match(health.days[0], { sent: 0, delivered: 0 });
  t.match(health.lines, {
    throttle_bounces: 0.05,
    pause_bounces: 0.1,
    throttle_complaints: 0.001,
    pause_complaints: 0.003,
  });
  t.equal(health.days.at(-1).bounce_rate, health.rates.bounces, 'the figure is the end of the curve');
  const { body: parts } = await owner.call('home/health', { days: 7 });
  t.match(parts.hosts, [{ ended: 1, refused: 0, deferred: 0, replies: [] }]);
  t.match(
    parts.agents.map(({ agent, days }: { agent: string; days: object[] }) => [agent, days.at(-1)]),
    [
      ['ann', { sent: 0, bounced: 0, received: 1 }],
      ['bob', { sent: 1, bounced: 0, received: 0 }],
    ],
  );
  t.match(parts.usage, { month: 1, included: null });
  t.match((await owner.call('home/health', { days: 5 })).status, 400);
  const { body: counts } = await owner.call('home/agents', { since: new Date(Date.now() - 3_600_000).toISOString() });
  t.match(counts.agents, [
    { agent: 'ann', unread: 1, in_today: 1, out_today: 0, last_active_at: String },
    { agent: 'bob', unread: 0, in_today: 0, out_today: 1 },
  ]);
  const { body: later } = await owner.call('home/agents', { since: new Date(Date.now() + 3_600_000).toISOString() });
  t.match(later.agents, [{ in_today: 0 }, { out_today: 0 }]);

  await owner.call('workspaces/pause', { reason: 'looking' });
  t.match((await owner.call('home/needs')).body.needs, [{ kind: 'paused', body: /^It was paused: looking\./ }]);
  await owner.call('workspaces/resume');
  t.same((await owner.call('home/needs')).body.needs, []);
});

t.test('what is approved is what was shown, and the way out checks it again', async (t) => {
  const { ann } = instance.agents;
  await owner.call('agents/hold', { agent: 'ann' });
  const send = async (subject: string) => {
    const content = Buffer.from('PDF').toString('base64');
    const result = await instance.client(ann).messages.send({
      ...{
        to: ['one@remote.test'],
        cc: ['two@remote.test'],
        bcc: ['three@remote.test'],
        subject,
        body: 'The **text**',
      },
      html: '<p>Another text <img src="https://tracker.example/y.gif"></p><script>alert(1)</script>',
      attachments: [{ filename: 'plan.pdf', content_type: 'application/pdf', content_base64: content }],
    });
    return (result as { pendingId: string }).pendingId;
  };
  const [first, second, third] = [await send('First'), await send('Second'), await send('Third')];
  t.match((await owner.call('home/needs')).body, {
    needs: [{ kind: 'held', title: '3 messages wait for your decision', body: /^ann 3\./, until: String }],
    held: [{ agent: 'ann', count: 3 }],
  });

  const { body: shown } = await owner.call('heldMail/get', { pending_id: first });
  t.match(shown, {
    ...{ from: /ann@/, to: ['one@remote.test'], cc: ['two@remote.test'], bcc: ['three@remote.test'] },
    ...{ digest: /^[0-9a-f]{64}$/, html_differs: true, html_text: /Another text/, answers: null },
  });
  const frame = await get(`/console/frame/heldParts/html?workspace=acme&pending_id=${first}`);
  t.match(await frame.clone().text(), 'Another text');
  t.notMatch(await frame.text(), /tracker|script/);
  const file = await get(`/console/api/heldParts/attachment?workspace=acme&pending_id=${first}&filename=plan.pdf`);
  t.equal(await file.text(), 'PDF');
  t.match(await (await get(`/console/api/heldParts/raw?workspace=acme&pending_id=${first}`)).text(), 'Another text');
  t.equal((await get(`/console/api/heldParts/attachment?workspace=acme&pending_id=${first}&filename=x`)).status, 404);

  const decide = (pending_id: string, more: object) => owner.call('heldMail/approve', { pending_id, ...more });
  t.match(await decide(first, {}), { status: 400, body: { error: 'invalid_request' } }, 'an owner gives the digest');
  t.match(await decide(first, { digest: 'x' }), { status: 400 });
  const { body: other } = await owner.call('heldMail/get', { pending_id: second });
  t.not(other.digest, shown.digest);
  t.match(await decide(first, { digest: other.digest }), { status: 409, body: { error: 'held_mail_changed' } });
  t.match(await decide(first, { digest: shown.digest }), {
    status: 200,
    body: { status: 'approved', decided_by: /owner/ },
  });
  t.match(await decide(first, { digest: shown.digest }), { status: 409, body: { error: 'held_mail_already_decided' } });
  const arrived = (subject: string) =>
    instance.receiver.messages.filter(({ raw }) => raw.toString().includes(`Subject: ${subject}`)).length;
  await eventually(async () => arrived('First') === 3);
  t.match((await listActs(instance))[0], { action: 'pending.approve', actor: OWNER, via: 'console' });
  const late = await get(`/console/frame/heldParts/html?workspace=acme&pending_id=${first}`, { accept: 'text/html' });
  t.equal(late.status, 404, 'decided');
  t.match(late.headers.get('content-security-policy'), /frame-ancestors 'self'/, 'its reason stands in the frame');

  // Its bytes are changed between the decision and the way out: the queue is kept from taking it meanwhile.
  await instance.daemon.outbound.stop(1_000);
  await decide(second, { digest: other.digest });
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const row = await tx.db
        .selectFrom('messages')
        .select('raw_id')
        .where('subject', '=', 'Second')
        .executeTakeFirstOrThrow();
      const mime = await tx.db
        .selectFrom('raw_messages')
        .select('mime')
        .where('id', '!=', row.raw_id)
        .limit(1)
        .executeTakeFirstOrThrow();
      await tx.db.updateTable('raw_messages').set(mime).where('id', '=', row.raw_id).execute();
    }),
  );
  await instance.restart();
  owner = await signInOwner(instance);
  const { body: decided } = await owner.call('heldMail/decided', { limit: 1 });
  t.match(decided, { decided: [{ pending_id: second, status: 'approved' }], next_cursor: String });
  t.match((await owner.call('heldMail/decided', { cursor: decided.next_cursor })).body, {
    ...{ decided: [{ pending_id: first }], next_cursor: null },
  });
  const { message_id: id } = decided.decided[0];
  await eventually(async () => (await owner.call('mail/message', { agent: 'ann', id })).body.status === 'bounced');
  t.match((await owner.call('mail/message', { agent: 'ann', id })).body.deliveries, [
    { status: 'bounced', attempts: 1, response: /not what was approved/, remote_host: null },
    { status: 'bounced' },
    { status: 'bounced' },
  ]);
  t.equal(arrived('Second'), 0);
  t.match(await owner.call('heldMail/reject', { pending_id: third, note: 'Not so' }), {
    body: { decision_note: 'Not so' },
  });
  t.same(instance.faults, []);
});

t.test('open and archived threads are found among many others, a page at a time', async (t) => {
  const { address } = await instance.addAgent('hoarder');
  await instance.inStore(async (store) => {
    const found = await findRecipient(store.read, address as Address);
    if (!found) throw new Error('No mailbox.');
    const newId = createIdSource(systemRuntime.clock, systemRuntime.random);
    await storeMails(store, newId, found.mailboxId, MANY, (n) => ({ subject: `Mail ${n}`, body: 'Words.' }));
    const mailbox = idToBytes(found.mailboxId);
    await store.write((tx) =>
      tx.db
        .updateTable('messages')
        .set({ archived: 1 })
        .where('mailbox_id', '=', mailbox)
        .where('subject', '<>', 'Mail 3')
        .execute(),
    );
  });
  t.match(await owner.call('inbox/threads', { agent: 'hoarder', limit: 5 }), {
    body: { threads: [{ subject: 'Mail 3' }], next_cursor: null },
  });
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await owner.call('inbox/threads', {
      ...{ agent: 'hoarder', show: 'archived', limit: 100 },
      ...(cursor !== undefined && { cursor }),
    });
    for (const each of body.threads) seen.add(each.id);
    cursor = body.next_cursor as string | null;
  }
  t.equal(seen.size, MANY - 1);
});

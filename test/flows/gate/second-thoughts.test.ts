/** Held mail is announced, waited for, withdrawn, edited, and taken back after its approval. */

import t from 'tap';
import { parseMail } from '../../../src/mail/mime/parse-message.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MAIL = { to: ['carol@remote.test', 'dave@remote.test'], subject: 'Offer', body: 'It costs **42**.\n\nSee you.' };

const hold = async (
  instance: TestInstance,
  mail: Partial<typeof MAIL> & { html?: string; track_opens?: boolean } = {},
) => {
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const { pendingId = '', ...held } = await instance.client(instance.agents.ann).messages.send({ ...MAIL, ...mail });
  return { pendingId, held };
};

const sentTo = (instance: TestInstance, address: string) =>
  instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes(address));

t.test('a held mail is an event, and its agent sees why, until when and where it is decided', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const { pendingId, held } = await hold(instance);
  const told = {
    reason: 'agent_on_hold',
    expires_at: String,
    approval_url: new RegExp(`/console/approvals/${pendingId}$`),
  };
  t.match(held, { status: 'held', ...told });
  t.match(await api.pending.listPending({}), { pending: [{ pending_id: pendingId, ...told }] });
  t.match(await api.pending.getPending({ id: pendingId }), { status: 'pending', ...told, edited: false, diff: null });
  const requested = (await instance.events()).filter(({ name }) => name === 'approval.requested');
  t.match(requested, [
    {
      data: {
        pending_id: pendingId,
        mailbox: ann.address,
        to: MAIL.to,
        subject: 'Offer',
        reason: 'agent_on_hold',
        expires_at: held.expires_at,
      },
    },
  ]);
});

t.test('an agent waits for the decision, and is woken by it', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const owner = await signInOwner(instance);
  const { pendingId } = await hold(instance);
  await using mcp = await connectMcp(instance, ann);
  const byRest = instance
    .request(ann, 'GET', `/v1/messages/pending/${pendingId}?wait=50`)
    .then((reply) => reply.json());
  const byTool = mcp.call('wait_for_decision', { pending_id: pendingId });
  await owner.call('heldMail/reject', { pending_id: pendingId, note: 'Too dear.' });
  t.match(await byRest, { status: 'rejected', decision_note: 'Too dear.' });
  t.match(await byTool, { structured: { status: 'rejected' } });
  t.match(
    await instance.client(ann).pending.getPending({ id: pendingId, wait: 50 }),
    { status: 'rejected' },
    'at once',
  );
  const other = (await hold(instance)).pendingId;
  t.match(await instance.client(ann).pending.getPending({ id: other, wait: 0 }), { status: 'pending' });
});

t.test('a wait ends at once where an approved mail is refused, here and at the command line', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const owner = await signInOwner(instance);
  const first = (await hold(instance)).pendingId;
  const second = (await hold(instance)).pendingId;
  await instance.suppress('dave@remote.test');
  const wait = (id: string) =>
    instance.request(ann, 'GET', `/v1/messages/pending/${id}?wait=50`).then((reply) => reply.json());
  const refused = { status: 'approved', message_id: null, failure_reason: 'recipient_suppressed:dave@remote.test' };
  const here = wait(first);
  const { body: shown } = await owner.call('heldMail/get', { pending_id: first });
  await owner.call('heldMail/approve', { pending_id: first, digest: shown.digest });
  t.match(await here, refused);
  const elsewhere = wait(second);
  t.match(await runCli(instance.configPath, 'pending', 'approve', second), { code: 1, stderr: /not sent/ });
  t.match(await elsewhere, refused);
  const failed = (await instance.events()).filter(({ name }) => name === 'approval.failed');
  t.match(failed, [
    { data: { pending_id: first, to: MAIL.to, subject: 'Offer', failure_reason: refused.failure_reason } },
    { data: { pending_id: second } },
  ]);
});

t.test('an agent withdraws what nobody has decided on; no other agent does', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const { pendingId } = await hold(instance);
  const path = `/v1/messages/pending/${pendingId}`;
  t.equal((await instance.request(bob, 'DELETE', path)).status, 404);
  for (const _again of [1, 2]) {
    const reply = await instance.request(ann, 'DELETE', path);
    t.same([reply.status, await reply.json()], [200, { pending_id: pendingId, cancelled: true, status: 'rejected' }]);
  }
  t.match(await cliJson(instance.configPath, 'pending', 'list'), { pending: [] });
  t.match(await instance.client(ann).pending.getPending({ id: pendingId }), {
    status: 'rejected',
    decision_note: /Withdrawn/,
  });
  const second = (await hold(instance)).pendingId;
  await cliJson(instance.configPath, 'pending', 'approve', second);
  const late = await instance.request(ann, 'DELETE', `/v1/messages/pending/${second}`);
  t.equal(late.status, 409);
  t.match(await late.json(), { cancelled: false, status: 'approved' });
});

t.test('an owner takes an approval back; else it goes, after its time', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock }, outbound: 'undo_seconds = 10' });
  const owner = await signInOwner(instance);
  const api = instance.client(instance.agents.ann);
  const { pendingId } = await hold(instance);
  const asShown = async (operation: 'approve' | 'edit', more: { pending_id?: string; subject?: string } = {}) => {
    const { body: shown } = await owner.call('heldMail/get', { pending_id: more.pending_id ?? pendingId });
    return owner.call(`heldMail/${operation}`, { pending_id: pendingId, digest: shown.digest, ...more });
  };
  const approve = (pending_id = pendingId) => asShown('approve', { pending_id });
  const release_at = new Date(clock.at + 10_000).toISOString();
  t.match((await approve()).body, { status: 'pending', release_at });
  t.match((await owner.call('heldMail/list', {})).body, { pending: [] }, 'it awaits no decision');
  t.equal((await approve()).status, 409);
  t.equal((await asShown('edit', { subject: 'Another' })).status, 409, 'what was approved is not edited');
  t.match((await owner.call('heldMail/reject', { pending_id: pendingId })).status, 409);
  t.equal((await instance.request(instance.agents.ann, 'DELETE', `/v1/messages/pending/${pendingId}`)).status, 409);
  t.match((await owner.call('heldMail/undo', { pending_id: pendingId })).body, { status: 'pending', release_at: null });
  t.match((await owner.call('heldMail/undo', { pending_id: pendingId })).status, 409);
  clock.at += 60_000;
  await instance.daemon.heldDecisions.releases.run();
  t.match(await api.pending.getPending({ id: pendingId }), { status: 'pending' }, 'nothing goes');

  await approve();
  await instance.daemon.heldDecisions.releases.run();
  t.equal(sentTo(instance, 'carol@remote.test').length, 0, 'not before its time');
  clock.at += 10_000;
  await instance.daemon.heldDecisions.releases.run();
  t.match(await api.pending.getPending({ id: pendingId }), { status: 'approved', message_id: String });
  await eventually(async () => sentTo(instance, 'carol@remote.test').length === 1);
  t.match((await owner.call('heldMail/undo', { pending_id: pendingId })).status, 409);

  const { pendingId: second } = await hold(instance);
  await cliJson(instance.configPath, 'suppressions', 'add', 'dave@remote.test', '--workspace', 'acme');
  const refused = { status: 'approved', failure_reason: /^recipient_suppressed/, release_at: null };
  t.match((await approve(second)).body, refused, 'what the gate refuses is told at once');
});

t.test('an approval whose time has passed while the daemon was down goes at its start', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock }, outbound: 'undo_seconds = 10' });
  const owner = await signInOwner(instance);
  const { pendingId } = await hold(instance);
  const { body: shown } = await owner.call('heldMail/get', { pending_id: pendingId });
  await owner.call('heldMail/approve', { pending_id: pendingId, digest: shown.digest });
  await instance.restart();
  clock.at += 10_000;
  await eventually(async () => sentTo(instance, 'carol@remote.test').length === 1);
  t.match(await instance.client(instance.agents.ann).pending.getPending({ id: pendingId }), { status: 'approved' });
});

t.test('an owner edits a held mail: what goes is what was edited, and its agent has the difference', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  const api = instance.client(instance.agents.ann);
  const { pendingId } = await hold(instance, { html: '<p>It costs <b>42</b>.</p><p>See you.</p>' });
  const { body: shown } = await owner.call('heldMail/get', { pending_id: pendingId });
  const edit = { pending_id: pendingId, digest: shown.digest };
  t.equal((await owner.call('heldMail/edit', { ...edit, remove: MAIL.to })).status, 422, 'one recipient stays');
  const change = { subject: 'Our offer', text: 'It costs **43**.\n\nSee you.', remove: ['dave@remote.test'] };
  t.match((await owner.call('heldMail/edit', { ...edit, ...change })).body, {
    subject: 'Our offer',
    to: ['carol@remote.test'],
    edited: true,
  });
  t.equal(
    (await owner.call('heldMail/approve', edit)).status,
    409,
    'the digest of what was shown before opens nothing',
  );
  const { body: edited } = await owner.call('heldMail/get', { pending_id: pendingId });
  t.match(edited, { text: /43/, html_text: null });
  t.equal((await owner.call('heldMail/approve', { ...edit, digest: edited.digest })).status, 200);

  const [sent] = await eventually(async () => {
    const gone = sentTo(instance, 'carol@remote.test');
    return gone.length === 1 && gone;
  });
  const mail = await parseMail(sent?.raw ?? Buffer.alloc(0));
  t.match(mail, { subject: 'Our offer', text: /It costs \*\*43\*\*/, html: /It costs <strong>43<\/strong>/ });
  t.same(
    mail.to.map(({ address }) => address),
    ['carol@remote.test'],
  );
  t.equal(sentTo(instance, 'dave@remote.test').length, 0);
  const { diff, edited: isEdited, message_id } = await api.pending.getPending({ id: pendingId });
  t.equal(isEdited, true);
  t.match(diff, /^-Subject: Offer$/m);
  t.match(diff, /^\+Subject: Our offer$/m);
  t.match(diff, /^-It costs \*\*42\*\*\.$/m);
  t.match(diff, /^ See you\.$/m);
  const approved = (await instance.events()).find(({ name }) => name === 'approval.approved');
  t.match(approved, { data: { pending_id: pendingId, message_id, edited: true } });
});

t.test('an edit of the subject alone leaves the text as it was given, and opens still count', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  const html = `<p>${'All of the offer stands here. '.repeat(20)}</p>`;
  const { pendingId } = await hold(instance, { body: 'See the HTML.', html, track_opens: true });
  const { body: shown } = await owner.call('heldMail/get', { pending_id: pendingId });
  const edit = { pending_id: pendingId, digest: shown.digest, subject: 'Our offer' };
  t.match((await owner.call('heldMail/edit', edit)).body, { subject: 'Our offer', snippet: 'See the HTML.' });
  const { body: edited } = await owner.call('heldMail/get', { pending_id: pendingId });
  t.notMatch(edited.diff, /^[-+]All of the offer/m);
  await owner.call('heldMail/approve', { pending_id: pendingId, digest: edited.digest });
  await eventually(async () => sentTo(instance, 'carol@remote.test').length === 1);
  const sent = sentTo(instance, 'carol@remote.test')[0]?.raw.toString();
  t.match(sent, '\r\n\r\nSee the HTML.\r\n');
  t.match(sent?.replaceAll('=\r\n', ''), new RegExp(`${instance.baseUrl}/o/`));
});

t.test('an agent takes a send back within its undo_seconds', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const send = async (undo_seconds: number) => {
    const reply = await instance.request(ann, 'POST', '/v1/messages', { ...MAIL, undo_seconds });
    return { status: reply.status, body: (await reply.json()) as Record<string, string> };
  };
  const { status, body } = await send(120);
  t.equal(status, 202);
  t.match(body, { status: 'scheduled', scheduled_id: String });
  const reply = await instance.request(ann, 'DELETE', `/v1/messages/scheduled/${body.scheduled_id}`);
  t.match(await reply.json(), { cancelled: true });
  t.equal((await send(121)).status, 400);
  t.match((await send(0)).body, { status: 'sent' });
  const [first] = await instance.receiver.waitFor(1);
  t.match(first?.raw.toString(), /42/);
  t.same((await instance.client(ann).messages.list({})).messages.length, 1, 'what was taken back is no message');
});

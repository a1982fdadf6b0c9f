import t from 'tap';
import type { PendingId } from '../../../src/kernel/ids.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

const send = async (instance: TestInstance, agent: TestAgent) => {
  const response = await instance.request(agent, 'POST', '/v1/messages', {
    to: ['carol@remote.test'],
    subject: 'Offer',
    body: `Our offer of ${crypto.randomUUID()}.`,
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

t.test('hold, approve and reject at the command line, while the daemon runs', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const cli = (...args: string[]) => cliJson(instance.configPath, ...args);
  t.match(await cli('agents', 'hold', 'ann'), { handle: 'ann', hold: true });
  const first = (await send(instance, ann)).body.pendingId ?? '';
  const second = (await send(instance, ann)).body.pendingId ?? '';
  t.match(await cli('pending', 'list'), { pending: [{ pending_id: second, agent: 'ann' }, { pending_id: first }] });
  t.match(await cli('pending', 'show', first), { subject: 'Offer', text: /Our offer/, reason: 'agent_on_hold' });
  t.match(await cli('pending', 'approve', first), { status: 'approved', message_id: String, decided_by: /^cli:/ });
  t.match(await cli('pending', 'reject', second, '--note', 'No.', '--yes'), {
    status: 'rejected',
    decision_note: 'No.',
  });
  t.match(await runCli(instance.configPath, 'pending', 'approve', second), {
    code: 1,
    stderr: /cannot be decided twice/,
  });
  const sent = await eventually(async () =>
    instance.receiver.messages.find(({ rcptTo }) => rcptTo.includes('carol@remote.test')),
  );
  t.match(sent.raw.toString(), /Our offer/, 'what another process released leaves');
  t.match(await cli('agents', 'hold', 'ann', '--off'), { hold: false });
  t.equal((await send(instance, ann)).status, 200);
  const key = await instance.request(ann, 'POST', `/v1/messages/pending/${first}/approve`, {});
  t.equal(key.status, 404, 'no key can decide');
});

t.test('suspending, removing, pausing, plans', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const cli = (...args: string[]) => cliJson(instance.configPath, ...args);
  await cli('agents', 'suspend', 'ann');
  t.match((await send(instance, ann)).body, { status: 'rejected', reason: 'mailbox_inactive' });
  t.match(await refusalOf(instance.smtpPort, { to: [ann.address] }), /^550 5\.2\.1/);
  await cli('agents', 'hold', 'ann');
  const resumed = await runCli(instance.configPath, 'agents', 'resume', 'ann');
  t.match(resumed.stdout, /still waits for a person: postroom agents hold ann --off/);
  await cli('agents', 'hold', 'ann', '--off');
  t.equal((await send(instance, ann)).status, 200);
  t.match(await sendMail(instance.smtpPort, { to: [ann.address] }), /^250/);

  await cli('workspaces', 'pause', 'acme', '--reason', 'an audit');
  t.match((await send(instance, ann)).body, { status: 'rejected', reason: 'workspace_paused' });
  t.match(await cli('workspaces', 'show', 'acme'), { sending_state: 'paused' });
  await cli('workspaces', 'resume', 'acme');
  t.equal((await send(instance, ann)).status, 200);
  const names = (await instance.events()).filter(({ name }) => name.startsWith('workspace.'));
  t.match(names, [{ name: 'workspace.paused', data: { reason: 'an audit' } }, { name: 'workspace.resumed' }]);

  t.match(await cli('workspaces', 'plan', 'acme', '--plan', 'free'), { plan: 'free' });
  t.match(await cli('workspaces', 'show', 'acme'), {
    usage: { sent_today: 2, quota_used_today: 2, sends_per_day: 50, sends_per_month: 500 },
  });
  t.match(await runCli(instance.configPath, 'workspaces', 'plan', 'acme', '--plan', 'gold'), { code: 2 });

  await cli('suppressions', 'add', 'carol@remote.test', '--workspace', 'acme');
  t.match((await send(instance, ann)).body, { status: 'rejected', reason: 'recipient_suppressed:carol@remote.test' });
  t.match(await cli('suppressions', 'list', '--workspace', 'acme'), {
    suppressions: [{ reason: 'manual', until: null }],
  });
  await cli('suppressions', 'remove', 'carol@remote.test', '--workspace', 'acme', '--yes');
  t.equal((await send(instance, ann)).status, 200);

  t.match(await runCli(instance.configPath, 'agents', 'remove', 'bob'), { code: 2, stderr: /--yes/ });
  await cli('agents', 'remove', 'bob', '--yes');
  const gone = await instance.request(bob, 'GET', '/v1/identity');
  t.equal(gone.status, 401);
  t.match(await gone.json(), { error: 'invalid_key' });
  t.match(await refusalOf(instance.smtpPort, { to: [bob.address] }), /^550 5\.1\.1/);
  t.match(await runCli(instance.configPath, 'agents', 'add', 'bob', '--workspace', 'acme'), {
    code: 1,
    stderr: /handle_taken/,
  });
});

t.test('approval, rejection and expiry race: each mail has one end, and is sent at most once', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const held = await Promise.all(Array.from({ length: 24 }, () => send(instance, ann)));
  const ids = held.map(({ body }) => body.pendingId as PendingId);
  clock.at += 7 * DAY;
  const { heldDecisions, jobs } = instance.daemon;
  const answers = await Promise.all([
    ...ids.map((id) => heldDecisions.approve(id, 'one', null, async () => null)),
    ...ids.map((id) => heldDecisions.reject(id, 'two', null, async () => null)),
    ...ids.map((id) => heldDecisions.approve(id, 'three', null, async () => null)),
    jobs.runAll(),
  ]);
  const decided = answers.filter((answer) => answer?.kind === 'decided').length;
  const ends = await Promise.all(ids.map((id) => instance.client(ann).pending.getPending({ id })));
  t.ok(
    ends.every(({ status }) => status !== 'pending'),
    'none is left open',
  );
  const expired = ends.filter(({ status }) => status === 'expired').length;
  t.equal(decided + expired, 24, 'each was decided once, and its decision returned so');
  const approved = ends.filter(({ status }) => status === 'approved');
  t.ok(approved.every(({ message_id, failure_reason }) => (message_id === null) !== (failure_reason === null)));
  const went = approved.filter(({ message_id }) => message_id !== null).length;
  await eventually(async () => {
    // Asking counts to the key's minute, which only this clock moves.
    clock.at += 1_000;
    const { messages } = await instance.client(ann).messages.list({ limit: 100 });
    return messages.length === went && messages.every(({ status }) => status === 'delivered');
  });
  const arrived = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('carol@remote.test'));
  t.equal(arrived.length, went, 'what went arrived once');
});

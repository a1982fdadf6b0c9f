/** Scheduled mail belongs to the key, the connection or the owner that booked it, and ends with it. */

import { randomUUID } from 'node:crypto';
import t from 'tap';
import { requireFound } from '../../../src/kernel/errors.ts';
import type { Id } from '../../../src/kernel/ids.ts';
import { MAX_SCHEDULED, MAX_SCHEDULED_BYTES } from '../../../src/outbound/scheduled/scheduled-dispatch.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { insertScheduledSend } from '../../../src/store/sending/scheduled-sends.ts';
import { cliJson } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { callTool } from '../../harness/mcp/current-request.ts';
import { connect, refresh, signIn } from '../../harness/oauth/oauth-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';

const { agents, connections, owners } = contracts;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const setUp = async () => {
  const clock = movableClock();
  const instance = await startInstance({ runtime: { clock } });
  const booking = (subject: string) => ({
    ...{ to: ['victim@remote.test'], subject, body: 'Later.' },
    send_at: new Date(clock.now() + DAY).toISOString(),
  });
  const book = async (agent: TestAgent, subject: string) => {
    const { scheduled_id: id = '' } = await instance.client(agent).messages.send(booking(subject));
    return id;
  };
  return { instance, clock, booking, book };
};

const keyOf = async ({ configPath }: TestInstance, agent: TestAgent, ...more: string[]) => {
  const { id, key } = await cliJson(configPath, 'keys', 'add', agent.handle, ...more);
  return { id: String(id), agent: { ...agent, key: String(key) } };
};

const outcomeOf = (instance: TestInstance, id: string) =>
  instance.client(instance.agents.ann).scheduled.getScheduled({ id });

t.test('with the key that is revoked, and with one that expires; what other keys booked goes', async (t) => {
  const { instance, clock, book } = await setUp();
  await using _ = instance;
  const { ann } = instance.agents;
  const stolen = await keyOf(instance, ann);
  const brief = await keyOf(instance, ann, '--expires', '12h');
  const [byStolen, byBrief, own] = [
    await book(stolen.agent, 'Stolen'),
    await book(brief.agent, 'Brief'),
    await book(ann, 'Own'),
  ];
  const revoked = await cliJson(instance.configPath, 'keys', 'revoke', stolen.id, '--yes');
  t.match(revoked, { scheduled: [{ scheduled_id: byStolen, subject: 'Stolen', to: ['victim@remote.test'] }] });
  t.equal((revoked.scheduled as object[]).length, 1);
  t.match(await outcomeOf(instance, byStolen), { status: 'cancelled', cancelled_by: 'key_ended' });
  t.match((await listActs(instance))[0], { action: 'key.revoke', detail: { scheduled_cancelled: [byStolen] } });
  t.match((await instance.events()).find(({ name }) => name === 'scheduled.cancelled')?.data, {
    scheduled_id: byStolen,
    cancelled_by: 'key_ended',
  });
  clock.pass(13 * HOUR);
  await instance.daemon.jobs.runAll();
  t.match(await outcomeOf(instance, byBrief), { status: 'cancelled', cancelled_by: 'key_ended' });
  clock.pass(12 * HOUR);
  await instance.daemon.scheduledDispatch.runDue();
  t.match(await outcomeOf(instance, own), { status: 'sent', cancelled_by: null });
  await instance.receiver.waitFor(1);
  t.match(
    instance.receiver.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1]),
    ['Own'],
  );
  t.same(instance.faults, []);
});

t.test('nothing that is due goes for a key that has just expired', async (t) => {
  const { instance, clock, book } = await setUp();
  await using _ = instance;
  const brief = await keyOf(instance, instance.agents.ann, '--expires', '12h');
  const id = await book(brief.agent, 'Brief');
  clock.pass(DAY);
  await instance.daemon.scheduledDispatch.runDue();
  t.match(await outcomeOf(instance, id), { status: 'cancelled', cancelled_by: 'key_ended' });
  t.same(instance.receiver.messages, []);
});

t.test('with the connection, whichever way it ends, and with its agent', async (t) => {
  const { instance, booking } = await setUp();
  await using _ = instance;
  const { ann } = instance.agents;
  const person = await signIn(instance);
  const open = async (subject: string, ...handles: string[]) => {
    const decision = { scopes: ['mail:read', 'mail:send', 'offline_access'], agents: handles };
    const opened = await connect(instance, { person, decision });
    const { result } = await callTool(instance, opened.accessToken, 'send_message', booking(subject), { agent: 'ann' });
    return { ...opened, id: String(result?.structuredContent?.scheduled_id) };
  };
  const [cut, reused, both] = [await open('Cut', 'ann'), await open('Reused', 'ann'), await open('Both', 'ann', 'bob')];
  const all = (await asOperator(instance, (call) => call(connections.list, {}))).connections;
  const first = all.at(-1)?.id ?? '';
  t.match(await cliJson(instance.configPath, 'connections', 'revoke', first, '--yes'), {
    scheduled: [{ scheduled_id: cut.id, subject: 'Cut' }],
  });
  t.match(await outcomeOf(instance, cut.id), { status: 'cancelled', cancelled_by: 'connection_ended' });
  await refresh(instance, reused.clientId, reused.refreshToken);
  await refresh(instance, reused.clientId, reused.refreshToken);
  t.match(await outcomeOf(instance, reused.id), { cancelled_by: 'connection_ended' }, 'a refresh token used twice');
  t.match(await outcomeOf(instance, both.id), { status: 'pending' });
  const byKey = await instance.client(ann).messages.send(booking('Key'));
  const removed = await asOperator(instance, (call) => call(agents.remove, { agent: 'ann' }));
  t.same(
    removed.ended.scheduled.map((each) => each.scheduled_id).toSorted(),
    [both.id, byKey.scheduled_id ?? ''].toSorted(),
  );
  t.same(instance.faults, []);
});

t.test('with the owner who wrote it, once the owner is removed; what another owner wrote goes', async (t) => {
  const { instance, clock, booking } = await setUp();
  await using _ = instance;
  const email = 'second@remote.test';
  const ids: string[] = [];
  await asOperator(instance, (call) => call(owners.add, { workspace: 'acme', email }));
  for (const owner of [await signInOwner(instance), await signInOwner(instance, email)]) {
    const sent = await owner.call('writing/send', { agent: 'ann', kind: 'new', ...booking('Later') });
    ids.push((sent.body as { scheduled_id: string }).scheduled_id);
  }
  const [kept = '', gone = ''] = ids;
  const removed = await asOperator(instance, (call) => call(owners.remove, { workspace: 'acme', email }));
  t.same(
    removed.ended.scheduled.map((each) => each.scheduled_id),
    [gone],
  );
  t.match(await outcomeOf(instance, gone), { status: 'cancelled' });
  t.match((await instance.events()).find(({ name }) => name === 'scheduled.cancelled')?.data, {
    scheduled_id: gone,
    cancelled_by: 'owner',
  });
  clock.pass(DAY);
  await instance.daemon.scheduledDispatch.runDue();
  t.match(await outcomeOf(instance, kept), { status: 'sent' });
  t.same(instance.faults, []);
});

t.test('a mailbox schedules up to a number and a size, and others what they will', async (t) => {
  const { instance, booking } = await setUp();
  await using _ = instance;
  const { ann, bob } = instance.agents;
  const book = async (agent: TestAgent) =>
    (await instance.request(agent, 'POST', '/v1/messages', booking('One more'))).json();
  /** Replaces what ann has scheduled. */
  const fill = (count: number, octets: number) =>
    instance.inStore((store) =>
      store.write(async (tx) => {
        await tx.db.deleteFrom('scheduled_sends').execute();
        const { id: agentId, mailboxId } = requireFound(await findAgent(tx.db, 'ann'), 'agent_not_found');
        const about = { agentId, mailboxId, to: [], subject: '', bookedAt: 0, bookedBy: null, byGrant: false };
        for (let n = 0; n < count; n += 1) {
          const id = randomUUID() as Id<'scheduled'>;
          await insertScheduledSend(tx, { id, ...about, sendAt: Date.UTC(2100, 0) }, Buffer.alloc(octets));
        }
      }),
    );
  const full = { status: 'rejected', reason: 'too_much_scheduled_mail', retryAfter: '2100-01-01T00:00:00.000Z' };
  await fill(MAX_SCHEDULED, 1);
  t.match(await book(ann), full);
  t.match(await book(bob), { status: 'scheduled' });
  await fill(20, MAX_SCHEDULED_BYTES / 20);
  t.match(await book(ann), full);
  await fill(MAX_SCHEDULED - 1, 1);
  t.match(await book(ann), { status: 'scheduled' });
  t.match(await book(ann), { status: 'rejected', retryAfter: booking('').send_at.slice(0, 10) });
});

t.test('an owner who removes an agent or an owner learns nothing of mail that ends elsewhere', async (t) => {
  const { instance, clock, book } = await setUp();
  await using _ = instance;
  const brief = await keyOf(instance, instance.agents.ann, '--expires', '12h');
  const id = await book(brief.agent, 'Secret plan');
  const other = await instance.addWorkspace('Other');
  const [email, second] = ['else@remote.test', 'second@remote.test'];
  await asOperator(instance, async (call) => {
    for (const each of [email, second]) await call(owners.add, { workspace: 'other', email: each });
  });
  const cleo = await keyOf(instance, await instance.addAgent('cleo', other), '--expires', '12h');
  const own = await book(cleo.agent, 'Own');
  const owner = await signInOwner(instance, email);
  clock.pass(13 * HOUR);
  const { body: left } = await owner.call('owners/remove', { email: second });
  t.match(left, { removed: true, ended: { scheduled: [{ scheduled_id: own }] } });
  t.notMatch(JSON.stringify(left), 'Secret plan');
  const { body: gone } = await owner.call('agents/remove', { agent: 'cleo' });
  t.match(gone, { removed: true, ended: { scheduled: [] } });
  t.match(await outcomeOf(instance, id), { status: 'pending' });
  await instance.daemon.jobs.runAll();
  t.match(await outcomeOf(instance, id), { status: 'cancelled', cancelled_by: 'key_ended' });
  t.same(instance.faults, []);
});

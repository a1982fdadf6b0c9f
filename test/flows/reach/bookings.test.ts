/** Scheduled mail belongs to the key or connection that booked it, and ends with it. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { callTool } from '../../harness/mcp/current-request.ts';
import { connect, refresh, signIn } from '../../harness/oauth/oauth-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';

const { agents, connections } = contracts;
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

/** Who did what, as the activity log of a running instance has it. */

import t from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { type ActView, activityContract } from '../../../src/resources/activity/contract.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { keysContract } from '../../../src/resources/agents/keys/contract.ts';
import { reviewContract } from '../../../src/resources/held-mail/review/contract.ts';
import { workspacesContract } from '../../../src/resources/workspaces/contract.ts';
import { findAgent, updateAgent } from '../../../src/store/accounts/agents.ts';
import { addOutcomes } from '../../../src/store/sending/outcomes.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { asOperator, listActs, operatorRefusal } from '../../harness/operator.ts';
import { changeData } from '../../harness/postgres/change-data.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const told = ({ actor, action, subject, via }: ActView): string => `${actor} ${action} ${subject} ${via}`;

t.test('each send names the key that it came by: at once, approved or scheduled', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const { id, key } = (await asOperator(instance, (call) =>
    call(keysContract.add, { agent: 'ann', name: 'leaked' }),
  )) as { id: string; key: string };
  const leaked = instance.client({ ...ann, key });
  const mail = { to: ['carol@remote.test'], subject: 'Hi', body: 'Not in the log' };
  await leaked.messages.send(mail);
  await leaked.messages.send({ ...mail, send_at: new Date(clock.at + DAY).toISOString() });
  await instance.client(ann).messages.send(mail);
  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann' }));
  const { pendingId = '' } = await leaked.messages.send(mail);
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id: pendingId }));
  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann', hold: false }));
  clock.at += DAY;
  await instance.daemon.scheduledDispatch.runDue();
  const sends = (await listActs(instance)).filter(({ action }) => action === 'message.send');
  const keys = sends.map(({ detail }) => detail.by_key);
  t.equal(keys.length, 4);
  t.equal(keys.filter((each) => each === id).length, 3, 'what a key that leaked has sent is known');
  t.ok(keys.every((each) => typeof each === 'string'));
});

t.test('what was deleted, and by whom', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const api = instance.client(ann);
  await sendMail(instance.smtpPort, { to: [ann.address], from: 'carol@remote.test' });
  const { messages } = await api.messages.list();
  const paths: string[] = [];
  for (const [path, input] of [
    ['contacts', { given_name: 'Carol' }],
    ['contacts/lists', { name: 'Friends' }],
    ['notes', { title: 'Prices', body: '5 EUR' }],
    ['knowledge/sources', { kind: 'text', title: 'Handbook', body: 'Be kind.' }],
  ] as const) {
    const { id } = (await (await instance.request(ann, 'POST', `/v1/${path}`, input)).json()) as { id: string };
    paths.push(`${path}/${id}`);
  }
  for (const path of paths) t.equal((await instance.request(bob, 'DELETE', `/v1/${path}`)).status, 200, path);
  for (const path of paths) t.equal((await instance.request(bob, 'DELETE', `/v1/${path}`)).status, 404, path);
  await api.messages.remove({ id: messages[0]?.id ?? '' });
  const acts = (await listActs(instance)).filter(({ action }) => action.endsWith('.remove'));
  t.same(acts.map(told).reverse(), [
    'bob contact.remove Carol REST',
    'bob list.remove Friends REST',
    'bob note.remove Prices REST',
    'bob source.remove Handbook REST',
    'ann message.remove carol@remote.test REST',
  ]);
});

t.test('a merge of contacts, which deletes one of them', async (t) => {
  await using instance = await startInstance();
  const { contacts } = instance.client(instance.agents.ann);
  const kept = await contacts.create({ given_name: 'Carol', family_name: 'Lee' });
  const gone = await contacts.create({ given_name: 'C.', family_name: 'Lee' });
  if (!('id' in kept && 'id' in gone)) throw new Error('They are contacts.');
  await contacts.merge({ survivor_id: kept.id, loser_id: gone.id });
  const [act] = await listActs(instance);
  t.match(act, { actor: 'ann', action: 'contact.merge', subject: 'Carol Lee', detail: { merged: 'C. Lee' } });
});

const verify = (instance: TestInstance) => asOperator(instance, (call) => call(activityContract.verify, {}));

t.test('acts of agents and persons, by every way, in their order; refusals leave none', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const api = instance.client(ann);
  await api.identity.update({ filter_mode: 'whitelist' });
  await api.identity.update({ filter_mode: 'whitelist' });
  await using tools = await connectMcp(instance, ann);
  const rule = await tools.call('create_rule', { match: 'domain', value: 'x.test', action: 'allow' });
  await tools.call('delete_rule', { rule_id: rule.structured.id });
  await instance.suppress('carol@remote.test');
  await instance.inStore((store) =>
    store.write(async (tx) => {
      await tx.db.updateTable('suppressions').set({ reason: 'bounce' }).execute();
    }),
  );
  await api.suppressions.remove({ address: 'carol@remote.test' });
  t.equal((await instance.request(ann, 'DELETE', '/v1/suppressions/none@remote.test')).status, 404);
  t.equal((await instance.request(ann, 'PATCH', '/v1/identity', { handle: 'BAD HANDLE' })).status, 400);
  t.equal((await instance.request(ann, 'PATCH', '/v1/identity', { handle: 'bob' })).status, 409);
  await api.messages.send({ to: ['dave@remote.test'], subject: 'Hi', body: 'Not in the log' });

  const { id: keyId } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--name', 'second');
  await asOperator(instance, async (call) => {
    await call(agentsContract.hold, { agent: 'ann' });
    await call(agentsContract.hold, { agent: 'ann' });
    await call(agentsContract.resume, { agent: 'ann' });
    await call(workspacesContract.verify, { workspace: 'Acme' });
    await call(workspacesContract.pause, { workspace: 'Acme' });
  });
  const again = await operatorRefusal(instance, (call) => call(workspacesContract.pause, { workspace: 'Acme' }));
  t.equal(again.code, 'workspace_already_paused');
  await asOperator(instance, async (call) => {
    await call(workspacesContract.resume, { workspace: 'Acme' });
    await call(workspacesContract.add, { name: 'Other', owner_email: 'o@remote.test', plan: 'unlimited' });
  });

  const all = await listActs(instance);
  t.same(all.map(told), [
    'operator workspace.add other CLI',
    'operator workspace.resume acme CLI',
    'operator workspace.pause acme CLI',
    'operator agent.hold ann CLI',
    'operator key.add ann CLI',
    'ann message.send dave@remote.test REST',
    'ann suppression.remove carol@remote.test REST',
    'ann rule.remove ann MCP',
    'ann rule.add ann MCP',
    'ann identity.update ann REST',
  ]);
  t.match(all[2]?.detail, { reason: 'operator' });
  t.match(all[4]?.detail, { key_id: keyId, name: 'second', scopes: null, by: /^cli:/ });
  t.match(all.at(-1)?.detail, { changed: ['filter_mode'], filter_mode: 'whitelist', by_key: String });
  t.notMatch(JSON.stringify(all), /svc_/);
  t.same((await listActs(instance, 'Other')).map(told), ['operator workspace.add other CLI'], 'of one workspace');

  const first = await cliJson(instance.configPath, 'activity', 'list', '--limit', '4');
  const rest = await cliJson(instance.configPath, 'activity', 'list', '--cursor', String(first.next_cursor));
  t.same([...(first.activity as ActView[]), ...(rest.activity as ActView[])], all, 'two pages are the whole');
  t.equal(rest.next_cursor, null);
  t.match(await runCli(instance.configPath, 'activity', 'list', '--cursor', 'x'), { code: 1, stderr: /cursor/ });
  t.match(await runCli(instance.configPath, 'activity', 'list', '--limit', '0'), { code: 2, stderr: /--limit/ });
  t.match(await runCli(instance.configPath, 'activity', 'list'), { code: 0, stdout: /ACTOR.*\n.*workspace\.add/ });
  t.same(instance.faults, []);
});

t.test('what the daemon does by itself, and its retention', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  await instance.inStore(async (store) => {
    const agent = await findAgent(store.read, ann.address);
    if (agent) await store.write((tx) => updateAgent(tx, agent.id, { hold: true }));
    await store.write((tx) =>
      addOutcomes(tx, instance.workspace.id, clock.now(), { ended: 100, mails: 100, bounced: 6 }),
    );
  });
  const bob = instance.client(instance.agents.bob);
  const held = await instance.client(ann).messages.send({ to: ['x@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(held.status, 'held');
  await bob.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  await eventually(async () => (await instance.findWorkspace()).sendingState === 'throttled');
  clock.ahead += 8 * DAY;
  await instance.daemon.jobs.runAll();
  t.same((await listActs(instance)).map(told).sort(), [
    'bob message.send carol@remote.test REST',
    'postroom domain.check acme.agents.box.test daemon',
    'postroom domain.check agents.box.test daemon',
    'postroom pending.expire ann daemon',
    'postroom workspace.resume acme daemon',
    'postroom workspace.throttle acme daemon',
  ]);
  t.match(await verify(instance), { ok: true, rows: 6, rows_without_mac: 0 });
  clock.ahead += 366 * DAY;
  await instance.daemon.jobs.runAll();
  t.same(await listActs(instance), [], 'a year later it is gone');
  t.match(await verify(instance), { ok: true, rows: 0, head: { seq: 6 } });
  t.same(instance.faults, []);
});

t.test('webhook endpoints, whose URLs are not told', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id, secret } = await webhooks.create({ url: hooks.url('/t0ken-in-path'), events: ['message.received'] });
  await webhooks.update({ id, rotate_secret: true });
  receiver.answer((_request, response) => response.writeHead(410).end());
  await hooks.mail();
  await eventually(async () => (await webhooks.list({})).webhooks[0]?.disabled_reason === 'gone');
  await webhooks.remove({ id });
  const all = await listActs(instance);
  const host = new URL(hooks.url()).host;
  t.same(all.map(told), [
    `ann webhook.remove ${host} REST`,
    `postroom webhook.disable ${host} daemon`,
    `ann webhook.update ${host} REST`,
    `ann webhook.add ${host} REST`,
  ]);
  t.notMatch(JSON.stringify(all), /t0ken/);
  t.notOk(JSON.stringify(all).includes(secret));
});

t.test('decisions on held mail; a row that is altered beside the daemon is found', async (t) => {
  await using instance = await startInstance();
  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann' }));
  const send = (subject: string) =>
    instance.client(instance.agents.ann).messages.send({ to: ['x@remote.test'], subject, body: 'Private words' });
  const ids = [await send('one'), await send('two'), await send('three')].map(({ pendingId }) => pendingId ?? '');
  await asOperator(instance, async (call) => {
    await call(reviewContract.approve, { pending_id: ids[0] ?? '' });
    await call(reviewContract.reject, { pending_id: ids[1] ?? '', note: 'No' });
  });
  await instance.suppress('x@remote.test');
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id: ids[2] ?? '' }));
  const all = await listActs(instance);
  t.same(
    all.map((act) => [told(act), act.detail.pending_id, act.detail.failure_reason]),
    [
      ['operator pending.approve ann CLI', ids[2], 'recipient_suppressed:x@remote.test'],
      ['operator pending.reject ann CLI', ids[1], null],
      ['operator pending.approve ann CLI', ids[0], null],
      ['ann message.send x@remote.test REST', undefined, undefined],
      ['operator agent.hold ann CLI', undefined, undefined],
    ],
  );
  t.notMatch(JSON.stringify(all), /Private words/);

  t.match(await verify(instance), { ok: true, macs_checked: true, rows: 5 });
  const change = "update activity set actor = 'nobody' where seq = 2";
  await changeData(instance.config, {
    sqlite: `drop trigger activity_is_not_changed; ${change}`,
    postgres: `drop trigger activity_is_not_changed on activity; ${change}`,
  });
  const broken = await runCli(instance.configPath, 'activity', 'verify', '--json');
  t.equal(broken.code, 1);
  t.match(JSON.parse(broken.stdout), { ok: false, faults: [{ seq: 2, fault: 'altered' }] });
  t.match(await runCli(instance.configPath, 'activity', 'verify'), { code: 1, stdout: /2 +altered/ });
});

t.test('rows are appended in one chain by the daemon and the command line at once', async (t) => {
  await using instance = await startInstance();
  const api = instance.client(instance.agents.ann);
  const many = Array.from({ length: 40 }, (_, n) => n);
  await Promise.all([
    ...many.map((n) => api.identity.createRule({ match: 'domain', value: `d${n}.test`, action: 'block' })),
    ...[1, 2, 3].map((n) => asOperator(instance, (call) => call(keysContract.add, { agent: 'bob', name: `k${n}` }))),
    cliJson(instance.configPath, 'agents', 'guard', 'bob'),
  ]);
  t.match(await verify(instance), { ok: true, rows: 44 });
  t.equal(new Set((await listActs(instance)).map(({ id }) => id)).size, 44, 'units that ran twice left one row');
  t.same(instance.faults, []);
});

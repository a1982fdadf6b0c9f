/** Endpoints follow the agent that made them, and how a person ends them. */

import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';

t.test('endpoints pause and end with the agent that made them, and a person ends them', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  instance.dns.zone.set('hooks.remote.test', 'A', ['127.0.0.1']);
  const add = (agent: typeof ann, path: string, mailbox_id: string | null = null) =>
    instance
      .client(agent)
      .webhooks.create({ url: `https://hooks.remote.test/${path}`, events: ['message.sent'], mailbox_id });
  const mailboxOf = async (agent: typeof ann) => (await instance.client(agent).identity.get({})).mailbox_id;
  const mailbox_id = await mailboxOf(ann);
  await add(ann, 'wide');
  await add(ann, 'own', mailbox_id);
  const bobs = await add(bob, 'bobs', await mailboxOf(bob));
  const cli = (...words: string[]) => cliJson(instance.configPath, ...words);
  const list = async () => ((await cli('webhooks', 'list', '--workspace', 'acme')) as { webhooks: object[] }).webhooks;
  t.match(await list(), [
    { url: /wide$/, mailbox_id: null, made_by: 'ann', active: true, hears_more: true },
    { url: /own$/, mailbox_id, made_by: 'ann', hears_more: false },
    { url: /bobs$/, made_by: 'bob', hears_more: false },
  ]);
  await cli('agents', 'suspend', 'ann');
  const states = async () => (await list()).map((each) => (each as { active: boolean }).active);
  t.same(await states(), [false, false, true], 'a suspension pauses them');
  t.match((await list())[0], { disabled_reason: 'paused' });
  await cli('agents', 'resume', 'ann');
  t.same(await states(), [true, true, true]);
  const removed = await cli('agents', 'remove', 'ann', '--yes');
  t.match(removed, { handle: 'ann', webhooks: [{ url: /wide$/ }, { url: /own$/ }] });
  t.match(await list(), [{ url: /bobs$/ }]);
  t.equal((await list()).length, 1);

  const unknown = await runCli(instance.configPath, 'webhooks', 'remove', 'x', '--yes', '--json');
  t.match(JSON.parse(unknown.stderr), { error: 'webhook_not_found' });
  t.match(await cli('webhooks', 'remove', bobs.id, '--yes'), { id: bobs.id, url: bobs.url, removed: true });
  t.same(await list(), []);
  const { activity } = (await cli('activity', 'list', '--workspace', 'acme')) as { activity: object[] };
  t.match(activity[0], { action: 'webhook.remove', detail: { webhook_id: bobs.id } });
  t.same(instance.faults, []);
});

t.test('a held agent does not end the pause that a person gave its endpoint', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  instance.dns.zone.set('hooks.remote.test', 'A', ['127.0.0.1']);
  const url = 'https://hooks.remote.test/in';
  const { webhooks } = instance.client(ann);
  const { id } = await webhooks.create({ url, events: ['message.received'] });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const owner = await signInOwner(instance);
  t.match(await owner.call('webhooks/update', { id, active: false }), { status: 200, body: { active: false } });
  t.match(await webhooks.update({ id, active: true }), { active: false, pending_approval: true });
  t.match(await owner.call('webhooks/update', { id, active: true }), { body: { pending_approval: true } });
  t.match(await cliJson(instance.configPath, 'pending', 'approve', id), { status: 'approved' });
  t.match((await webhooks.list({})).webhooks, [{ active: true, pending_approval: false }]);
  t.same(instance.faults, []);
});

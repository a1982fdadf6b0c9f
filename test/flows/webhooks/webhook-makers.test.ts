/** Endpoints that outlive the agent that made them, and how a person ends them. */

import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';

t.test('the removal of an agent names the endpoints it made for the workspace, and a person ends them', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  instance.dns.zone.set('hooks.remote.test', 'A', ['127.0.0.1']);
  const add = (agent: typeof ann, path: string, mailbox_id: string | null = null) =>
    instance
      .client(agent)
      .webhooks.create({ url: `https://hooks.remote.test/${path}`, events: ['message.sent'], mailbox_id });
  const { mailbox_id } = await instance.client(ann).identity.get({});
  const [wide] = [await add(ann, 'wide'), await add(ann, 'own', mailbox_id), await add(bob, 'bobs')];
  const cli = (...words: string[]) => cliJson(instance.configPath, ...words);
  const list = async () => ((await cli('webhooks', 'list', '--workspace', 'acme')) as { webhooks: object[] }).webhooks;
  t.match(await list(), [
    { url: /wide$/, mailbox_id: null, made_by: 'ann', active: true },
    { url: /own$/, mailbox_id, made_by: 'ann' },
    { url: /bobs$/, made_by: 'bob' },
  ]);
  await cli('agents', 'suspend', 'ann');
  t.match((await list())[0], { active: true }, 'a suspension leaves them');
  const removed = await cli('agents', 'remove', 'ann', '--yes');
  t.match(removed, { handle: 'ann', webhooks: [{ id: wide.id, url: wide.url }] });
  t.equal((removed as { webhooks: object[] }).webhooks.length, 1);
  t.match(await list(), [{ url: /wide$/, made_by: 'ann', active: true }, { url: /bobs$/ }]);

  const unknown = await runCli(instance.configPath, 'webhooks', 'remove', 'x', '--yes', '--json');
  t.match(JSON.parse(unknown.stderr), { error: 'webhook_not_found' });
  t.match(await cli('webhooks', 'remove', wide.id, '--yes'), { id: wide.id, url: wide.url, removed: true });
  t.match(await list(), [{ url: /bobs$/ }]);
  t.equal((await list()).length, 1);
  const { activity } = (await cli('activity', 'list', '--workspace', 'acme')) as { activity: object[] };
  t.match(activity[0], { action: 'webhook.remove', detail: { webhook_id: wide.id } });
  t.same(instance.faults, []);
});

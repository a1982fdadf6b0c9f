/** A key that is restricted reads nothing beyond its scopes, whatever it sets up. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

t.test('an endpoint is set up and changed by keys that read mail alone', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:send');
  const sender = { ...ann, key: String(key) };
  const endpoint = { url: 'https://hooks.peer.test/in', events: ['message.received'] };
  t.equal((await instance.request(sender, 'GET', '/v1/messages')).status, 403);
  const refused = await instance.request(sender, 'POST', '/v1/webhooks', endpoint);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { error: 'insufficient_scope', scope: 'mail:read' });
  const changed = await instance.request(sender, 'PATCH', `/v1/webhooks?id=${crypto.randomUUID()}`, {
    url: endpoint.url,
  });
  t.equal(changed.status, 403);

  const reader = {
    ...ann,
    key: String((await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:read')).key),
  };
  const unable = await instance.request(reader, 'POST', '/v1/webhooks', endpoint);
  t.match(await unable.json(), { error: 'insufficient_scope', scope: 'mail:send' });

  const tools = async (agent: typeof ann) => {
    await using mcp = await connectMcp(instance, agent);
    return (await mcp.client.listTools()).tools.map(({ name }) => name);
  };
  for (const agent of [sender, reader]) {
    t.notOk((await tools(agent)).some((name) => name === 'create_webhook' || name === 'update_webhook'));
  }
  t.ok((await tools(ann)).includes('create_webhook'));
});

t.test('characters that are not seen do not part one mass mailing from the next', async (t) => {
  await using instance = await startInstance({
    plans:
      '[free]\nvelocity_floor = 1000\nduplicate_recipients = 10\n[pro]\nvelocity_floor = 1000\nduplicate_recipients = 10\n[unlimited]\nvelocity_floor = 1000\nduplicate_recipients = 10\n',
  });
  const variants = (n: number) => [
    `BUY NOW${'\u200b'.repeat(n)}`,
    `B${'\u0301'.repeat(n)}UY NOW`,
    `BUY${'!'.repeat(n)} NOW${'.'.repeat(n)}`,
    `b\u00ady ${n}`.replace('y', 'uy now'),
  ];
  for (const [kind] of variants(0).entries()) {
    const statuses: string[] = [];
    const agent = await instance.addAgent(`mailer-${kind}`);
    for (let n = 1; n <= 12; n += 1) {
      const body = { to: [`s${kind}-${n}@peer.test`], subject: 'x', body: variants(n)[kind] };
      const reply = (await (await instance.request(agent, 'POST', '/v1/messages', body)).json()) as Record<
        string,
        string
      >;
      statuses.push(reply.reason ?? reply.status ?? '');
    }
    t.same(
      statuses,
      [...Array(10).fill('sent'), ...Array(2).fill('duplicate_content_burst_detected')],
      `variant ${kind}`,
    );
  }
});

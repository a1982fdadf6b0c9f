/** A key that is restricted reads nothing beyond its scopes, whatever it sets up. */

import t from 'tap';
import { startBox } from '../../harness/box.ts';
import { cliJson } from '../../harness/cli.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

t.test('an endpoint is set up and changed by keys that read mail alone', async (t) => {
  await using box = await startBox();
  const { ann } = box.agents;
  const { key } = await cliJson(box.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:send');
  const sender = { ...ann, key: String(key) };
  const endpoint = { url: 'https://hooks.peer.test/in', events: ['message.received'] };
  t.equal((await box.request(sender, 'GET', '/v1/messages')).status, 403);
  const refused = await box.request(sender, 'POST', '/v1/webhooks', endpoint);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { error: 'insufficient_scope', scope: 'mail:read' });
  const changed = await box.request(sender, 'PATCH', `/v1/webhooks?id=${crypto.randomUUID()}`, { url: endpoint.url });
  t.equal(changed.status, 403);

  const reader = {
    ...ann,
    key: String((await cliJson(box.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:read')).key),
  };
  const unable = await box.request(reader, 'POST', '/v1/webhooks', endpoint);
  t.match(await unable.json(), { error: 'insufficient_scope', scope: 'mail:send' });

  const tools = async (agent: typeof ann) => {
    await using mcp = await connectMcp(box, agent);
    return (await mcp.client.listTools()).tools.map(({ name }) => name);
  };
  for (const agent of [sender, reader]) {
    t.notOk((await tools(agent)).some((name) => name === 'create_webhook' || name === 'update_webhook'));
  }
  t.ok((await tools(ann)).includes('create_webhook'));
});

t.test('characters that are not seen do not part one mass mailing from the next', async (t) => {
  await using box = await startBox({
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
    const agent = await box.addAgent(`mailer-${kind}`);
    for (let n = 1; n <= 12; n += 1) {
      const body = { to: [`s${kind}-${n}@peer.test`], subject: 'x', body: variants(n)[kind] };
      const reply = (await (await box.request(agent, 'POST', '/v1/messages', body)).json()) as Record<string, string>;
      statuses.push(reply.reason ?? reply.status ?? '');
    }
    t.same(
      statuses,
      [...Array(10).fill('sent'), ...Array(2).fill('duplicate_content_burst_detected')],
      `variant ${kind}`,
    );
  }
});

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { signUp } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const ask = async (instance: TestInstance, method: 'GET' | 'POST', path: string, body?: object) => {
  const response = await instance.request(instance.agents.ann, method, path, body);
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
};

t.test('a rejected and a held send say why, and what to do now; so does the identity', async (t) => {
  await using instance = await startInstance();
  const mail = { to: ['carol@remote.test'], subject: 'Hi', body: 'x' };
  t.match((await ask(instance, 'GET', '/v1/identity')).body, {
    can_send: { now: true, reason: null, hint: /no limit a day/ },
    ...{ held: false, held_reason: null, reach: String, mode: 'internet', workspace: { name: 'Acme' } },
    claim: { state: 'not_needed', claim_by: null },
    usage: { day: { mails: 0, units: 0, limit: null }, cold: null },
  });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const held = await ask(instance, 'POST', '/v1/messages', mail);
  t.match(held.body, { status: 'held', reason: 'agent_on_hold', hint: /do not send it again/ });
  const pending = await ask(instance, 'GET', `/v1/messages/pending/${held.body.pendingId}`);
  t.match(pending.body, { status: 'pending', hint: /A person reviews/ });
  t.match((await ask(instance, 'GET', '/v1/identity')).body, { held: true, held_reason: 'agent_on_hold' });
  await cliJson(instance.configPath, 'pending', 'approve', String(held.body.pendingId), '--yes');

  await cliJson(instance.configPath, 'workspaces', 'pause', 'Acme', '--reason', 'testing');
  const refused = await ask(instance, 'POST', '/v1/messages', mail);
  t.equal(refused.status, 422);
  t.match(refused.body, { status: 'rejected', reason: 'workspace_paused', hint: /Only an owner resumes it/ });
  await using mcp = await connectMcp(instance, instance.agents.ann);
  t.match((await mcp.call('send_message', mail)).structured, { reason: 'workspace_paused', hint: /owner/ });
  t.match((await mcp.call('whoami')).structured, {
    can_send: { now: false, reason: 'workspace_paused', hint: /owner/ },
    usage: { day: { mails: 1, units: 1 } },
  });
});

t.test('a signup says by when it is claimed and what to do; its identity says that it cannot send', async (t) => {
  await using instance = await startInstance();
  const made = (await signUp(instance, { handle: 'pilot', email: 'o@remote.test' })) as unknown as Record<
    string,
    string
  >;
  t.match(made, { claim_by: /^20/, next: [String, /claim_url/, /wait/, /agent\.claimed/] });
  const headers = { authorization: `Bearer ${made.api_key}` };
  const reply = await fetch(new URL('/v1/identity', instance.baseUrl), { headers });
  t.equal(reply.headers.get('cache-control'), 'no-store');
  t.match(await reply.json(), {
    can_send: { now: false, reason: 'sending_locked_verify_email', hint: /a person claims it/ },
    claim: { state: 'unclaimed', claim_by: made.claim_by },
    usage: { cold: { sent: 0, limit: Number, resets_at: String } },
  });
});

t.test('search refuses what it does not understand, with the list of what it does', async (t) => {
  await using instance = await startInstance();
  const search = (q: string) => ask(instance, 'GET', `/v1/search?q=${encodeURIComponent(q)}`);
  for (const q of [
    'is:starred',
    'after:yesterday',
    'in:trash',
    'has:link',
    'label:x',
    'filename:a.pdf',
    'larger:5M',
    'older_than:2d',
    'cc:a@b.c',
    'a -bcc:x',
  ]) {
    const { status, body } = await search(q);
    t.equal(status, 400, q);
    t.match(body, { error: 'invalid_request', hint: /The operators are from: to: subject:/ }, q);
  }
  for (const q of ['note:this', 'https://example.com/a', '"label:x"', 'at 12:30', 'is:unread', 'after:2026-01-31']) {
    t.equal((await search(q)).status, 200, q);
  }
});

t.test('a search that finds nothing says what is not searched, and what else to try', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const name = 'Rechnung.txt';
  const attachments = [{ filename: name, content_base64: Buffer.from('Invoice of November').toString('base64') }];
  await instance.client(ann).messages.send({ to: [ann.address], subject: 'Hallo', body: 'Anbei.', attachments });
  const search = async (q: string) =>
    (await ask(instance, 'GET', `/v1/search?q=${encodeURIComponent(q)}`)).body as { hits: unknown[] };
  await eventually(async () => (await search(name)).hits.length > 0);
  t.match(await search('rech*'), { hint: null });
  t.match(await search('November'), { hits: { length: 0 }, hint: /`inv\*`.*attachments the names alone/ });
  t.same(instance.faults, []);
});

t.test('a key of the reach `own` is told how to get the other', async (t) => {
  await using instance = await startInstance();
  const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann');
  const own = { ...instance.agents.ann, key: String(key) };
  const refused = await instance.request(own, 'POST', '/v1/domains', { domain: 'mail.example.com' });
  t.equal(refused.status, 403);
  t.match(await refused.json(), { error: 'insufficient_scope', hint: /keys add AGENT --reach workspace/ });
});

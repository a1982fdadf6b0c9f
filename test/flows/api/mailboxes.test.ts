/** Mailboxes that agents list and make, within their plan. */

import t from 'tap';
import type { DomainName } from '../../../src/kernel/address.ts';
import type { DomainId } from '../../../src/kernel/ids.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { insertDomain } from '../../../src/store/accounts/domains.ts';
import { setPlan } from '../../../src/store/accounts/workspaces.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const usePlan = (instance: TestInstance, plan: string) =>
  instance.inStore((store) => store.write((tx) => setPlan(tx, instance.workspace.id, plan, null)));

const make = async (instance: TestInstance, agent: TestAgent, body: unknown) => {
  const response = await instance.request(agent, 'POST', '/v1/mailboxes', body);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const list = async (instance: TestInstance, agent: TestAgent) =>
  (await (await instance.request(agent, 'GET', '/v1/mailboxes')).json()) as {
    mailboxes: Record<string, unknown>[];
    included: number | null;
    used: number;
    extra: number;
  };

const addCustomDomain = (instance: TestInstance, name: string, workspaceId = instance.workspace.id) =>
  instance.inStore(async (store) => {
    const id = crypto.randomUUID() as DomainId;
    const times = { verifiedAt: null, lastCheckedAt: null, createdAt: Date.now() };
    const domain = { id, workspaceId, name: name as DomainName, kind: 'custom', status: 'pending', ...times } as const;
    await store.write((tx) => insertDomain(tx, domain, []));
    return id;
  });

const setStatus = (instance: TestInstance, id: DomainId, status: 'pending' | 'verified' | 'failing') =>
  instance.inStore(async ({ write }) => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    await write(async (tx) => {
      await tx.db.updateTable('domains').set({ status }).where('id', '=', bytes).execute();
    });
  });

t.test('an agent makes a mailbox, which receives at once and has no key', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const made = await make(instance, ann, { handle: 'sales', display_name: 'Sales', description: 'Sells.' });
  t.equal(made.status, 201);
  t.same(Object.keys(made.body).sort(), [
    ...['address', 'created_at', 'description', 'display_name', 'domain_id', 'handle', 'id', 'status'],
  ]);
  t.match(made.body, {
    handle: 'sales',
    address: 'sales@acme.agents.box.test',
    display_name: 'Sales',
    description: 'Sells.',
    status: 'active',
  });
  t.match(await sendMail(instance.smtpPort, { to: ['sales@acme.agents.box.test'] }), /^250/);
  t.same((await cliJson(instance.configPath, 'keys', 'list', 'sales')).keys, [], 'a person makes its key');

  const listed = await list(instance, bob);
  t.match(listed, { included: null, used: 3, extra: 0 });
  t.same(listed.mailboxes.map(({ handle }) => handle).sort(), ['ann', 'bob', 'sales']);
  t.same(
    listed.mailboxes.find(({ handle }) => handle === 'sales'),
    made.body,
  );
  const [act] = await listActs(instance, 'acme');
  t.match(act, { action: 'agent.add', actor: 'ann', subject: 'sales', via: 'REST' });

  await using tools = await connectMcp(instance, ann);
  await tools.call('create_temp_address');
  t.match((await tools.call('create_mailbox', { handle: 'support' })).structured, { handle: 'support' });
  const { structured } = await tools.call('list_mailboxes');
  t.equal((structured as { used: number }).used, 4, 'a disposable address is no mailbox');
  await asOperator(instance, (call) => call(agentsContract.suspend, { agent: 'bob' }));
  t.match(
    (await list(instance, ann)).mailboxes.find(({ handle }) => handle === 'bob'),
    { status: 'suspended' },
    'a suspended one is listed as that',
  );
  await asOperator(instance, (call) => call(agentsContract.remove, { agent: 'support' }));
  t.equal((await list(instance, ann)).used, 3, 'a removed one is not');
  t.same(instance.faults, []);
});

t.test('what is refused, and changes nothing', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const refusal = async (body: unknown) => {
    const { status, body: reply } = await make(instance, ann, body);
    return [status, reply.error];
  };
  t.same(await refusal({}), [400, 'handle_required']);
  t.same(await refusal({ handle: null }), [400, 'invalid_handle']);
  for (const handle of ['ab', 'Sales', 'a b c', '-abc', 'abc-', 'x'.repeat(64), 'ünter', 'admin', 'tmp-x', 'b-x1', 7]) {
    t.same(await refusal({ handle }), [400, 'invalid_handle'], String(handle));
  }
  t.same(await refusal({ handle: 'bob' }), [409, 'handle_taken']);
  t.same(await refusal({ handle: 'sales', domain_id: crypto.randomUUID() }), [404, 'unknown_domain']);
  t.same(await refusal({ handle: 'sales', domain_id: 'none' }), [404, 'unknown_domain']);
  t.same(await refusal({ handle: 'sales', display_name: 'x'.repeat(201) }), [400, 'invalid_request']);
  t.same(await refusal({ handle: 'sales', display_name: 'a\r\nBcc: b' }), [400, 'invalid_request']);
  t.same(await refusal({ handle: 'sales', description: 'x'.repeat(2_001) }), [400, 'invalid_request']);
  t.same(await refusal({ handle: 'sales', plan: 'pro' }), [400, 'invalid_request']);

  const other = await instance.addWorkspace('Other');
  const foreign = await addCustomDomain(instance, 'foreign.test', other.id);
  t.same(await refusal({ handle: 'sales', domain_id: foreign }), [404, 'unknown_domain'], "another workspace's");
  const base = await instance.inStore(({ read }) =>
    read.selectFrom('domains').select('id').where('kind', '=', 'base').executeTakeFirstOrThrow(),
  );
  const hex = Buffer.from(base.id).toString('hex');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  t.same(await refusal({ handle: 'sales', domain_id: uuid }), [404, 'unknown_domain'], 'the base domain');

  const restricted = async (scopes: string) => ({
    ...ann,
    key: String((await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', scopes)).key),
  });
  const reader = await restricted('mail:read');
  t.match(await make(instance, reader, { handle: 'sales' }), { status: 403, body: { scope: 'manage' } });
  const sender = await restricted('mail:send');
  t.equal((await instance.request(sender, 'GET', '/v1/mailboxes')).status, 403);
  t.equal((await list(instance, reader)).used, 2);
  t.same(instance.faults, []);
});

t.test(
  'a plan without further mailboxes refuses them; a paid one counts them; the operator has no limit',
  async (t) => {
    await using instance = await startInstance();
    const { ann } = instance.agents;
    await usePlan(instance, 'free');
    const together = await Promise.all(['m-one', 'm-two', 'm-three'].map((handle) => make(instance, ann, { handle })));
    t.same(together.map(({ status }) => status).sort(), [201, 402, 402], 'three are included, made at once or not');
    t.match(together.find(({ status }) => status === 402)?.body, {
      error: 'mailbox_limit_reached',
      hint: String,
      included: 3,
      used: 3,
    });
    t.match(await list(instance, ann), { included: 3, used: 3, extra: 0 });
    await cliJson(instance.configPath, 'agents', 'add', 'by-operator', '--workspace', 'acme');
    t.match(await list(instance, ann), { included: 3, used: 4, extra: 1 });

    await usePlan(instance, 'pro');
    for (let at = 5; at <= 11; at += 1) t.equal((await make(instance, ann, { handle: `agent-${at}` })).status, 201);
    t.match(await list(instance, ann), { included: 10, used: 11, extra: 1 });
  },
);

t.test('one handle asked for by many at once is given once', async (t) => {
  await using instance = await startInstance();
  const other = await instance.addWorkspace('Other');
  const carl = await instance.addAgent('carl', other);
  const { ann } = instance.agents;
  const asked = [ann, carl, ann, carl, ann, carl].map((agent) => make(instance, agent, { handle: 'wanted' }));
  const answers = await Promise.all(asked);
  t.same(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  t.same(instance.faults, []);
});

t.test(
  'a custom domain has addresses once it is verified, which neither send nor receive where it is not',
  async (t) => {
    await using instance = await startInstance();
    const { ann } = instance.agents;
    const id = await addCustomDomain(instance, 'acme.test');
    t.match(await make(instance, ann, { handle: 'sales', domain_id: id }), {
      status: 409,
      body: { error: 'domain_not_verified' },
    });
    await setStatus(instance, id, 'verified');
    t.match(await make(instance, ann, { handle: 'sales', domain_id: id }), {
      status: 201,
      body: { address: 'sales@acme.test', domain_id: id },
    });
    const { key } = await cliJson(instance.configPath, 'keys', 'add', 'sales');
    const sales = { handle: 'sales', address: 'sales@acme.test', key: String(key) };
    const mail = { to: ['carol@remote.test'], subject: 'Hi', body: 'Hi.' };
    await setStatus(instance, id, 'pending');
    const refused = await instance.request(sales, 'POST', '/v1/messages', mail);
    t.equal(refused.status, 422);
    t.match(await refused.json(), { status: 'rejected', reason: 'domain_not_verified', hint: /`list_domains`/ });
    t.match(await refusalOf(instance.smtpPort, { to: ['sales@acme.test'] }), /^550 5\.7\.1/);
    await setStatus(instance, id, 'verified');
    t.match(await sendMail(instance.smtpPort, { to: ['sales@acme.test'] }), /^250/);
    await setStatus(instance, id, 'failing');
    t.match(await sendMail(instance.smtpPort, { to: ['sales@acme.test'] }), /^250/, 'it goes on receiving');
  },
);

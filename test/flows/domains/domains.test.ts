/** The life of a custom domain over REST: added, pending, verified, sending, removed. */

import t from 'tap';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { workspaces } from '../../../src/store/accounts/accounts-mappings.ts';
import { updateRows } from '../../../src/store/rows.ts';
import {
  addDomain,
  addVerified,
  type DomainReply,
  publish,
  recordOf,
  request,
  verifyDomain,
} from '../../harness/domains.ts';
import { HOSTNAME, REMOTE_DOMAIN, startInstance } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const instance = await startInstance({
  plans:
    '[free]\ncustom_domains = 1\nvelocity_floor = 20\nduplicate_recipients = 10\n[pro]\nvelocity_floor = 20\nduplicate_recipients = 10\n[unlimited]\nvelocity_floor = 500\nduplicate_recipients = 100\n',
});
t.teardown(() => instance[Symbol.asyncDispose]());
const { ann } = instance.agents;
const { zone } = instance.dns;

/** Gives an agent of the custom domain, in the workspace of ann. */
const addAgentOn = async (handle: string, domain: string) => {
  const { api_key: key, address } = (await asOperator(instance, (call) =>
    call(agentsContract.add, { handle, workspace: 'acme', domain }),
  )) as { api_key: string; address: string };
  return { handle, address, key };
};

t.test('from added to sending', async (t) => {
  const added = await addDomain(instance, ann, 'Shop.Example.com.');
  t.equal(added.status, 201);
  const { id, records } = added.body;
  t.match(added.body, { domain: 'shop.example.com', kind: 'custom', status: 'pending', can_send: false });
  t.match(added.body, { dkim_records_pending: false, dkim_status: 'pending', verified_at: null, created: true });
  t.same(
    records.map(({ purpose, required }) => `${purpose}${required ? '' : '?'}`),
    ['mx', 'spf', 'dkim', 'dkim', 'dkim', 'dmarc', 'ownership', 'tls_rpt?'],
    'without TLS no MTA-STS',
  );
  t.same(
    records.filter(({ purpose }) => purpose === 'dkim').map(({ role }) => role),
    ['signing', 'signing', 'next'],
  );
  t.ok(records.every(({ role, purpose }) => purpose === 'dkim' || role === null));
  t.ok(records.every(({ status, found, hint }) => status === 'unchecked' && found.length === 0 && hint === null));
  t.match(recordOf(added.body, 'ownership'), {
    name: '_postroom.shop.example.com',
    value: /^postroom-domain=[0-9a-f]{40}$/,
  });

  const again = await addDomain(instance, ann, 'shop.example.com');
  t.equal(again.status, 200);
  t.match(again.body, { id, created: false });

  const early = await verifyDomain(instance, ann, id);
  t.equal(early.status, 200);
  t.match(early.body, { status: 'pending', can_send: false, dkim_status: 'failing' });
  t.ok(early.body.records.every(({ status }) => status === 'missing'));
  t.match(recordOf(early.body, 'dmarc').hint, /Publish this DMARC record at _dmarc\.shop\.example\.com/);

  await t.rejects(addAgentOn('clerk', 'shop.example.com'), { code: 'domain_not_verified' });
  const mail = { to: [`carol@${REMOTE_DOMAIN}`], subject: 'Hello', body: 'Hi.' };
  const letter = { to: ['clerk@shop.example.com'] };
  t.match(await refusalOf(instance.smtpPort, letter), /^550 5\.7\.1/, 'a pending domain takes no mail');

  publish(zone, records);
  const verified = await verifyDomain(instance, ann, id);
  const agent = await addAgentOn('clerk', 'shop.example.com');
  t.match(await sendMail(instance.smtpPort, letter), /^250/);
  t.match(verified.body, { status: 'verified', can_send: true, dkim_status: 'verified', hint: null });
  t.ok(verified.body.records.every(({ status, hint }) => status === 'found' && hint === null));
  t.ok(verified.body.verified_at);
  const events = (await instance.events()).filter(({ name }) => name === 'domain.verified');
  t.same(
    events.map(({ data }) => data),
    [{ domain_id: id, domain: 'shop.example.com' }],
  );

  t.equal((await request(instance, agent, 'POST', '/v1/messages', mail)).status, 200);
  const [arrived] = await instance.receiver.waitFor(1);
  t.match(arrived?.raw.toString('latin1').replace(/\r\n\s+/g, ' '), /d=shop\.example\.com; s=pr1;/);

  const listed = await request<{ domains: DomainReply[] }>(instance, ann, 'GET', '/v1/domains');
  t.same(
    listed.body.domains.map(({ domain, kind, can_send }) => [domain, kind, can_send]),
    [
      ['acme.agents.box.test', 'subdomain', true],
      ['shop.example.com', 'custom', true],
    ],
  );

  const inUse = await request(instance, ann, 'DELETE', `/v1/domains?id=${id}`);
  t.same([inUse.status, inUse.body.error], [400, 'domain_in_use']);
  t.match(inUse.body.hint, /A person has to remove them first/);
  await asOperator(instance, (call) => call(agentsContract.remove, { agent: 'clerk' }));
  const removed = await request<{ deleted: boolean }>(instance, ann, 'DELETE', `/v1/domains?id=${id}`);
  t.same([removed.status, removed.body], [200, { deleted: true }]);
  t.equal((await verifyDomain(instance, ann, id)).status, 404);
  const acts = (await listActs(instance)).filter(({ action }) => action.startsWith('domain.'));
  t.same(acts.map(({ action, actor, via }) => `${action} ${actor} ${via}`).reverse(), [
    ...['domain.add ann REST', 'domain.add ann REST', 'domain.check ann REST', 'domain.check ann REST'],
    'domain.remove ann REST',
  ]);

  const back = await addDomain(instance, ann, 'shop.example.com');
  t.notOk(
    back.body.records.some(({ purpose, name }) => purpose === 'dkim' && records.some((each) => each.name === name)),
    'a selector is not used again',
  );
  t.same(instance.faults, []);
});

t.test('names that cannot be added', async (t) => {
  const names = [
    ...[HOSTNAME, 'agents.box.test', 'x.agents.box.test', 'acme.agents.box.test', `a.${HOSTNAME}`],
    ...['co.uk', 'com', 'github.io', '192.0.2.1', '[192.0.2.1]', '2001:db8::1', 'localhost', 'printer.local'],
    ...['', ' ', 'a b.example', 'ann@example.com', 'https://example.com', '_x.example.com', '-a.example.com'],
    ...['a..example.com', `${'a'.repeat(64)}.example.com`, `${'a.'.repeat(100)}example.com`, 'x'.repeat(400), 7, null],
  ];
  t.match((await addDomain(instance, ann, 'ann@example.com')).body.hint, /no e-mail address, URL or IP address\.$/);
  for (const name of names) {
    const { status, body } = await addDomain(instance, ann, name);
    t.same([status, body.error], [400, 'invalid_domain'], String(name));
    t.type(body.hint, 'string');
  }
  const missing = await request(instance, ann, 'POST', '/v1/domains', {});
  t.same([missing.status, missing.body.error], [400, 'invalid_domain']);
  const idna = await addDomain(instance, ann, 'bücher.example');
  t.same([idna.status, idna.body.domain], [201, 'xn--bcher-kva.example']);
});

t.test('ids that name nothing of this workspace', async (t) => {
  const other = await instance.addWorkspace('Other');
  const eve = await instance.addAgent('eve', other);
  const { body } = await addDomain(instance, eve, 'eve.example');
  for (const id of [body.id, '00000000-0000-7000-8000-000000000000', 'x']) {
    const verify = await verifyDomain(instance, ann, id);
    t.same([verify.status, verify.body.error], [404, 'not_found']);
    const remove = await request(instance, ann, 'DELETE', `/v1/domains?id=${id}`);
    t.same([remove.status, remove.body.error], [404, 'not_found']);
  }
  const without = await request(instance, ann, 'DELETE', '/v1/domains');
  t.same([without.status, without.body.error], [400, 'id_required']);
  const { body: listed } = await request<{ domains: DomainReply[] }>(instance, ann, 'GET', '/v1/domains');
  const own = listed.domains.find(({ kind }) => kind === 'subdomain');
  const subdomain = await request(instance, ann, 'DELETE', `/v1/domains?id=${own?.id}`);
  t.same([subdomain.status, subdomain.body.error], [400, 'subdomain_not_removable']);
});

t.test("the workspace's own subdomain is checked, and sends whatever the check finds", async (t) => {
  const { body } = await request<{ domains: DomainReply[] }>(instance, ann, 'GET', '/v1/domains');
  const own = body.domains.find(({ kind }) => kind === 'subdomain');
  const name = own?.domain ?? '';
  const checked = await verifyDomain(instance, ann, own?.id ?? '');
  t.match(checked.body, { status: 'verified', can_send: true });
  t.notOk(checked.body.records.some(({ purpose }) => purpose === 'ownership'));
  const mx = zone.get(name, 'MX');
  zone.set(name, 'MX', [{ exchange: 'mx.elsewhere.example', priority: 5 }]);
  const broken = await verifyDomain(instance, ann, own?.id ?? '');
  t.match(broken.body, { status: 'verified', can_send: true });
  t.match(recordOf(broken.body, 'mx'), { status: 'mismatch', found: ['5 mx.elsewhere.example'] });
  zone.set(name, 'MX', mx);
});

t.test('limits of the plan and of probation', async (t) => {
  const small = await instance.addWorkspace('Small');
  const sam = await instance.addAgent('sam', small);
  const set = (values: { plan?: string; tier?: 'standard' | 'probation' }) =>
    instance.inStore((store) => store.write((tx) => updateRows(tx, workspaces, { id: small.id }, values)));
  await set({ plan: 'free', tier: 'probation' });
  const early = await addDomain(instance, sam, 'one.example');
  t.match(early, { status: 402, body: { error: 'custom_domain_limit_reached', included: 0, used: 0 } });
  await set({ tier: 'standard' });
  t.equal((await addDomain(instance, sam, 'one.example')).status, 201);
  t.equal((await addDomain(instance, sam, 'one.example')).status, 200, 'it takes no place of its own');
  const second = await addDomain(instance, sam, 'two.example');
  t.match(second, { status: 402, body: { error: 'custom_domain_limit_reached', included: 1, used: 1 } });
});

t.test('several may have a domain pending; who proves it has it', async (t) => {
  const [first, second] = [await instance.addWorkspace('First'), await instance.addWorkspace('Second')];
  const [fay, sid] = [await instance.addAgent('fay', first), await instance.addAgent('sid', second)];
  const squatted = (await addDomain(instance, fay, 'wanted.example')).body;
  const proved = await addVerified(instance, sid, 'wanted.example');
  t.equal(proved.status, 'verified');
  const late = await verifyDomain(instance, fay, squatted.id);
  t.same([late.status, late.body.error], [409, 'domain_taken']);
  const other = await addDomain(instance, ann, 'wanted.example');
  t.same([other.status, other.body.error], [409, 'domain_taken']);
});

t.test('of two that verify at once one wins', async (t) => {
  const [first, second] = [await instance.addWorkspace('Left'), await instance.addWorkspace('Right')];
  const [lea, rob] = [await instance.addAgent('lea', first), await instance.addAgent('rob', second)];
  const claims = await Promise.all(
    [lea, rob].map(async (agent) => (await addDomain(instance, agent, 'both.example')).body),
  );
  for (const { records } of claims) publish(zone, records);
  zone.set(
    '_postroom.both.example',
    'TXT',
    claims.map((claim) => recordOf(claim, 'ownership').value),
  );
  const replies = await Promise.all([
    verifyDomain(instance, lea, claims[0]?.id ?? ''),
    verifyDomain(instance, rob, claims[1]?.id ?? ''),
  ]);
  t.same(replies.map(({ status }) => status).sort(), [200, 409]);
  const winner = replies.find(({ status }) => status === 200);
  t.equal(winner?.body.status, 'verified');
  t.equal((await instance.events()).filter(({ data }) => data.domain === 'both.example').length, 1);
});

t.test('of two adds at one time one makes it', async (t) => {
  const twice = await instance.addAgent('tim', await instance.addWorkspace('Twice'));
  const replies = await Promise.all([1, 2].map(() => addDomain(instance, twice, 'twice.example')));
  t.same(replies.map(({ status }) => status).sort(), [200, 201]);
  t.equal(new Set(replies.map(({ body }) => JSON.stringify([body.id, body.records]))).size, 1);
});

t.test('checks are limited', async (t) => {
  const many = await instance.addWorkspace('Many');
  const max = await instance.addAgent('max', many);
  const { id } = (await addDomain(instance, max, 'busy.example')).body;
  const before = instance.dns.queries.length;
  await verifyDomain(instance, max, id);
  t.ok(instance.dns.queries.length - before < 60, String(instance.dns.queries.length - before));
  const replies = await Promise.all(Array.from({ length: 65 }, () => verifyDomain(instance, max, id)));
  const limited = replies.find(({ status }) => status !== 200);
  t.equal(replies.filter(({ status }) => status === 200).length, 59, 'with the one before, 60 in the minute');
  t.same([limited?.status, limited?.body.error], [429, 'rate_limited']);
  t.match(limited?.headers.get('retry-after'), /^\d+$/);
});

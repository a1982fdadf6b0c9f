/** What becomes of handles that change, keys that end, signups on probation and workspaces that are removed. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { runCli } from '../../harness/cli.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { openStream } from '../../harness/http/event-stream.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { beginSession, mcpRequest, toolCall } from '../../harness/mcp/mcp-request.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { claim, postSignup, signUp } from '../../harness/signups.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const { workspaces, keys, queue } = contracts;

const movingClock = () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  return clock;
};

/** The reply to RCPT. */
const rcpt = async ({ smtpPort }: TestInstance, to: string): Promise<string> => {
  await using client = await RawSmtp.connect({ port: smtpPort });
  await client.reply();
  await client.command('EHLO client.test');
  await client.command('MAIL FROM:<x@remote.test>');
  return await client.command(`RCPT TO:<${to}>`);
};

const showAgent = (instance: TestInstance, agent: string) =>
  asOperator(instance, (call) => call(contracts.agents.get, { agent }));

const statusOfRename = async (instance: TestInstance, who: 'ann' | 'bob', handle: string): Promise<number> =>
  (await instance.request(instance.agents[who], 'PATCH', '/v1/identity', { handle })).status;

t.test('a changed handle receives for 30 days, is nobody else’s, and is free after', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const old = instance.agents.ann.address;
  t.equal(await statusOfRename(instance, 'ann', 'annabel'), 200);
  for (const name of ['ann', old, 'annabel']) {
    const shown = await showAgent(instance, name);
    t.match(shown, { handle: 'annabel', former_addresses: [{ address: old, receives_until: String }] }, name);
  }
  t.match(await runCli(instance.configPath, 'agents', 'show', 'ann'), { stdout: /ann is a former name of annabel/ });
  t.match(await runCli(instance.configPath, 'agents', 'hold', 'ann'), { code: 1, stderr: /No agent is called ann/ });
  t.equal(await statusOfRename(instance, 'ann', 'annabel'), 200);
  const renames = (await listActs(instance)).filter(({ action }) => action === 'identity.update');
  t.equal(renames.length, 1, 'a change that changes nothing is no act');
  clock.ahead = 29 * DAY;
  await instance.daemon.jobs.runAll();
  t.match(await rcpt(instance, old), /^250/);
  t.equal(await statusOfRename(instance, 'bob', 'ann'), 409);
  t.equal((await postSignup(instance, { handle: 'ann' })).status, 409);
  t.equal(await statusOfRename(instance, 'ann', 'ann'), 200, 'taken back within 30 days');
  t.equal(await statusOfRename(instance, 'ann', 'annabel'), 200, 'and forth');
  clock.ahead = 58 * DAY;
  await instance.daemon.jobs.runAll();
  t.match(await rcpt(instance, old), /^250/, 'its 30 days begin with the last change');
  clock.ahead = 60 * DAY;
  await instance.daemon.jobs.runAll();
  t.match(await rcpt(instance, old), /^550/);
  const race = await Promise.all([
    statusOfRename(instance, 'bob', 'ann'),
    postSignup(instance, { handle: 'ann' }).then(({ status }) => status),
  ]);
  t.ok(race.filter((status) => status < 300).length === 1 && race.includes(409), `one takes it: ${race}`);
  t.match(await rcpt(instance, 'annabel@acme.agents.box.test'), /^250/);

  const counted: number[] = [];
  for (const n of [1, 2, 3, 4, 5, 6]) counted.push(await statusOfRename(instance, 'ann', `ann-${n}`));
  t.same(counted, [200, 200, 200, 200, 200, 429], 'an agent keeps five former handles from others, and no more');
  t.same(instance.faults, []);
});

t.test('a key that expires ends what it holds open', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const expires_at = new Date(Date.now() + 60 * MINUTE).toISOString();
  const { key, id } = await asOperator(instance, (call) =>
    call(keys.add, { agent: 'ann', name: 'an hour', scopes: ['mail:read'], expires_at }),
  );
  const ann = { ...instance.agents.ann, key };
  const stream = await openStream(instance, ann);
  const session = await beginSession(instance, ann);
  const waiting = instance.request(ann, 'GET', '/v1/messages/wait?timeout=50');
  const listed = await eventually(async () => {
    const all = await asOperator(instance, (call) => call(keys.list, { agent: 'ann' }));
    return all.keys.find((each) => each.id === id && each.last_used_at !== null);
  });
  t.match(listed, { name: 'an hour', scopes: ['mail:read'], expires_at });
  clock.ahead = 61 * MINUTE;
  t.same(await stream.rest(), []);
  t.equal((await waiting).status, 401);
  t.equal((await mcpRequest(instance, ann, { headers: session, body: toolCall(2, 'whoami') })).status, 401);
  await eventually(async () => instance.daemon.toolSessions.count === 0);
  t.same(instance.faults, []);
});

t.test('a signup is on probation: ten cold mails a day, until a week has passed without a bounce', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const browser = createBrowser(instance.baseUrl);
  const signup = await signUp(instance, { handle: 'pilot', email: 'm@remote.test' });
  const agent = { handle: 'pilot', address: signup.address, key: signup.api_key };
  t.equal((await claim(instance, browser, signup, 'm@remote.test')).status, 303);
  const send = async (n: number) => {
    const mail = { to: [`a${n}@remote.test`], subject: `Hi ${n}`, body: `An own text ${'x'.repeat(n)}` };
    return instance.client(agent).messages.send(mail);
  };
  for (let n = 0; n < 10; n += 1) t.match(await send(n), { status: 'sent' });
  t.match(await send(10), { status: 'rejected', reason: 'daily_send_quota_exhausted', retryAfter: String });
  const tier = async () => {
    await instance.daemon.jobs.runAll();
    return (await asOperator(instance, (call) => call(workspaces.get, { workspace: 'pilot' }))).tier;
  };
  clock.ahead = 6 * DAY;
  t.equal(await tier(), 'probation');
  clock.ahead = 7 * DAY + MINUTE;
  t.equal(await tier(), 'standard');
  for (let n = 20; n < 31; n += 1) t.match(await send(n), { status: 'sent' }, 'the plan’s quota alone');
  const ended = (await listActs(instance, 'pilot')).find(({ action }) => !action.startsWith('message.'));
  t.match(ended, { action: 'workspace.end_probation', actor: 'postroom' });
});

/** Rows of a workspace or its mailboxes, by table. */
const countRows = (instance: TestInstance, address: string) =>
  instance.inStore(async ({ read }) => {
    const count = async (table: 'messages' | 'threads' | 'contacts' | 'notes' | 'webhooks' | 'api_keys') =>
      (await read.selectFrom(table).selectAll().execute()).length;
    return {
      ...{ messages: await count('messages'), threads: await count('threads'), contacts: await count('contacts') },
      ...{ notes: await count('notes'), webhooks: await count('webhooks'), keys: await count('api_keys') },
      addresses: (await read.selectFrom('addresses').select('address').execute()).filter(
        (row) => row.address === address,
      ).length,
    };
  });

t.test('a removed workspace is gone at once, and its data soon', async (t) => {
  await using instance = await startInstance({ receiver: { onRcpt: () => ({ code: 451, text: '4.3.0 Not now' }) } });
  const workspace = await instance.addWorkspace('Gone');
  const carl = await instance.addAgent('carl', workspace);
  const client = instance.client(carl);
  await client.contacts.create({ given_name: 'Dave' });
  // More rows than one transaction deletes.
  for (let n = 0; n < 60; n += 1) await client.notes.create({ body: `A note ${n}.` });
  for (let n = 0; n < 2; n += 1) await sendMail(instance.smtpPort, { to: [carl.address] });
  await client.domains.add({ domain: 'gone.example' });
  const carla = await instance.addAgent('carla', workspace);
  t.equal((await instance.request(carla, 'PATCH', '/v1/identity', { handle: 'karla' })).status, 200);
  const others = () =>
    asOperator(instance, async (call) => [
      await call(contracts.owners.list, { workspace: 'acme' }),
      await call(contracts.domains.list, { workspace: 'acme' }),
    ]);
  await instance.client(instance.agents.ann).domains.add({ domain: 'kept.example' });
  const kept = await others();
  const before = await countRows(instance, carl.address);
  await client.messages.send({ to: ['a@remote.test'], subject: 'Waits', body: 'Waits' });
  await eventually(async () => {
    const [waiting] = (await asOperator(instance, (call) => call(queue.list, { workspace: 'gone' }))).queue;
    return waiting?.status === 'deferred';
  });
  const stream = await openStream(instance, carl);
  const removed = await asOperator(instance, (call) => call(workspaces.remove, { workspace: 'gone' }));
  t.match(removed, { name: 'Gone', slug: 'gone', removed: true });
  await stream.rest();
  t.equal((await instance.request(carl, 'GET', '/v1/identity')).status, 401);
  t.match(await rcpt(instance, carl.address), /^550 5\.1\.1/);
  t.match(await rcpt(instance, 'postmaster@gone.agents.box.test'), /^550 5\.1\.1/);
  t.same((await asOperator(instance, (call) => call(queue.list, {}))).queue, [], 'nothing waits');
  const refused = await asOperator(instance, (call) => call(workspaces.get, { workspace: 'gone' })).catch(String);
  t.match(refused, /workspace_not_found/);

  await instance.daemon.jobs.runAll();
  t.match(before, { messages: 2, contacts: 1, notes: 60, keys: 4, addresses: 1 });
  t.same(await countRows(instance, carl.address), {
    ...{ messages: 0, threads: 0, contacts: 0, notes: 0, webhooks: 0, keys: 2, addresses: 0 },
  });
  const { domains } = await asOperator(instance, (call) => call(contracts.domains.list, {}));
  t.notOk(
    domains.some(({ domain }) => domain === 'gone.example'),
    'its custom domains are claimed no more',
  );
  for (const handle of ['carl', 'carla', 'karla']) {
    t.equal((await postSignup(instance, { handle })).status, 409, `its handles are never given again: ${handle}`);
  }
  const { address } = await signUp(instance, { handle: 'cara', workspace_name: 'Gone' });
  t.equal(address, 'cara@gone-2.agents.box.test', 'nor is its subdomain');
  t.match(
    (await listActs(instance)).find(({ action }) => action === 'workspace.remove'),
    { subject: 'gone' },
  );
  t.equal((await instance.request(instance.agents.ann, 'GET', '/v1/identity')).status, 200, 'others go on');
  t.same(await others(), kept, 'with their owners, domains and keys');
  t.same(instance.faults, []);
});

t.test('what nobody claims in 30 days ends', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const [one, two] = [await signUp(instance, { handle: 'one' }), await signUp(instance, { handle: 'two' })];
  const vouched = await signUp(instance, { handle: 'vouched', email: 'v@remote.test' });
  await asOperator(instance, async (call) => {
    await call(workspaces.verify, { workspace: 'vouched' });
    t.match(await call(workspaces.get, { workspace: 'vouched' }), { claim: 'open', lapses_at: null, may_send: true });
  });
  const offer = await createBrowser(instance.baseUrl).get(new URL(vouched.claim_url).pathname);
  t.match(offer.text, /operator of this service lets it send/);
  t.notMatch(offer.text, / ends|cannot send|but not send/);
  await asOperator(instance, async (call) => {
    const changed = await call(workspaces.setPlan, { workspace: 'vouched', plan: 'unlimited' });
    t.match(changed, { plan: 'unlimited', tier: 'standard' });
  });
  t.match((await listActs(instance, 'vouched'))[0], {
    action: 'workspace.set_plan',
    detail: { ended_probation: true },
  });
  clock.ahead = 29 * DAY;
  await instance.daemon.jobs.runAll();
  t.match(await rcpt(instance, one.address), /^250/);
  await asOperator(instance, (call) => call(contracts.owners.add, { email: 'm@remote.test', workspace: 'two' }));
  clock.ahead = 31 * DAY;
  await instance.daemon.jobs.runAll();
  t.match(await rcpt(instance, vouched.address), /^250/, 'the operator vouches for it');
  t.match(await rcpt(instance, one.address), /^550/);
  t.match(await rcpt(instance, two.address), /^250/);
  const page = await createBrowser(instance.baseUrl).get(new URL(one.claim_url).pathname);
  t.equal(page.status, 404);
  t.match(
    (await listActs(instance)).find(({ action }) => action === 'workspace.remove'),
    {
      ...{ actor: 'postroom', subject: 'one', detail: { reason: 'unclaimed' } },
    },
  );
  t.same(instance.faults, []);
});

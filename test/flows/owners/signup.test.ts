/** Signing up: what comes back, what is refused, and what an outsider can make of it. */

import t from 'tap';
import { signUp as signUpByClient } from '../../../src/client/index.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { mcpRequest } from '../../harness/mcp/mcp-request.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { postSignup, signUp } from '../../harness/signups.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: string };
  return [response.status, error];
};

t.test('a workspace, an agent and a key in one call', async (t) => {
  await using instance = await startInstance();
  const response = await postSignup(instance, {
    ...{ handle: 'pilot', email: 'Owner <m@remote.test>', workspace_name: 'Fjord Research', description: 'Asks.' },
  });
  t.equal(response.status, 201);
  t.match(response.headers.get('x-ratelimit-limit'), '30');
  const signup = (await response.json()) as Awaited<ReturnType<typeof signUp>>;
  t.same(Object.keys(signup).sort(), ['address', 'api_key', 'claim_by', 'claim_url', 'handle', 'mcp_url', 'next']);
  t.match(signup, {
    handle: 'pilot',
    address: 'pilot@fjord-research.agents.box.test',
    api_key: /^svc_[\w-]{43}$/,
    mcp_url: `${instance.baseUrl}/mcp?tools=core`,
  });
  t.match(signup.claim_url.slice(instance.baseUrl.length), /^\/claim\/[\w-]{43}$/);
  const agent = { handle: 'pilot', address: signup.address, key: signup.api_key };

  t.match(await instance.client(agent).identity.get({}), { handle: 'pilot', description: 'Asks.' });
  t.equal((await mcpRequest(instance, agent, { body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).status, 200);
  t.match(await sendMail(instance.smtpPort, { to: [signup.address] }), /^250/, 'it receives at once');
  t.equal((await instance.client(agent).messages.list({})).messages.length, 1);
  const send = { to: ['a@remote.test'], subject: 'Hi', body: 'Hi' };
  const refused = await instance.request(agent, 'POST', '/v1/messages', send);
  t.equal(refused.status, 422);
  t.match(await refused.json(), { status: 'rejected', reason: 'sending_locked_verify_email' });

  t.match(await cliJson(instance.configPath, 'workspaces', 'show', 'fjord-research'), {
    ...{ name: 'Fjord Research', plan: 'free', tier: 'probation', verified_at: null, owner_email: 'm@remote.test' },
    claim: 'open',
  });
  const [act] = await listActs(instance, 'fjord-research');
  t.match(act, { action: 'workspace.sign_up', actor: 'postroom', via: 'REST', detail: { by_network: '127.0.0.1' } });
  t.notMatch(JSON.stringify(act), signup.claim_url.split('/').at(-1) ?? '', 'no token in the log');

  await t.test('whom an agent names is mailed nothing until the page is pressed', async (t) => {
    await sendMail(instance.smtpPort, {
      to: ['postmaster@fjord-research.agents.box.test'],
      headers: { Subject: 'Role mail' },
    });
    await sendMail(instance.smtpPort, { to: ['postmaster@acme.agents.box.test'], headers: { Subject: 'Role mail' } });
    await eventually(async () => instance.receiver.messages.some(({ rcptTo }) => rcptTo.includes('owner@remote.test')));
    t.notOk(instance.receiver.messages.some(({ rcptTo }) => rcptTo.includes('m@remote.test')));
  });
  t.same(instance.faults, []);
});

t.test('what is refused, and what of it counts', async (t) => {
  await using instance = await startInstance();
  const email = 'm@remote.test';
  const cases: [body: unknown, status: number, error: string][] = [
    [{ email }, 400, 'handle_required'],
    [{ handle: 'Pilot', email }, 400, 'invalid_handle'],
    [{ handle: 'ab', email }, 400, 'invalid_handle'],
    [{ handle: 'a'.repeat(64), email }, 400, 'invalid_handle'],
    [{ handle: 'postmaster', email }, 400, 'invalid_handle'],
    [{ handle: 'no-reply', email }, 400, 'invalid_handle'],
    [{ handle: 'tmp-abc', email }, 400, 'invalid_handle'],
    [{ handle: 'b-abc', email }, 400, 'invalid_handle'],
    [{ handle: 'xn--abc', email }, 400, 'invalid_handle'],
    [{ handle: 7, email }, 400, 'invalid_handle'],
    [{ handle: 'pilot', email: 'nobody' }, 400, 'invalid_email'],
    [{ handle: 'pilot', email, workspace_name: 'x'.repeat(201) }, 400, 'invalid_request'],
    [{ handle: 'pilot', email, workspace_name: 'two\nlines' }, 400, 'invalid_request'],
    [{ handle: 'pilot', email, description: 'x'.repeat(2001) }, 400, 'invalid_request'],
    [{ handle: 'pilot', email, plan: 'unlimited' }, 400, 'invalid_request'],
    [[], 400, 'invalid_request'],
    [undefined, 400, 'invalid_request'],
    [{ handle: 'ann', email }, 409, 'handle_taken'],
    [{ handle: 'role-mail', email }, 409, 'handle_taken'],
  ];
  for (const [body, status, error] of cases) {
    t.same(await errorOf(await postSignup(instance, body)), [status, error], JSON.stringify(body)?.slice(0, 60));
  }
  const counted: number[] = [];
  for (let n = 0; n < 11; n += 1) {
    const response = await postSignup(instance, { handle: `pilot-${n}`, email, workspace_name: 'Fjord' });
    counted.push(response.status);
    if (response.status === 201) await response.json();
    else {
      t.match(await response.json(), { error: 'rate_limited' });
      t.match(response.headers.get('retry-after'), /^\d+$/);
      t.match(response.headers.get('x-ratelimit-limit'), '10');
    }
  }
  t.same(counted, [...Array(10).fill(201), 429], 'ten an hour, refused ones left out');
  t.same(await errorOf(await postSignup(instance, {})), [429, 'rate_limited'], 'which count to the 30 a minute');
  const { workspaces } = await asOperator(instance, (call) => call(contracts.workspaces.list, {}));
  t.same(
    workspaces.map(({ slug }) => slug),
    ['acme', 'fjord', ...Array.from({ length: 9 }, (_, n) => `fjord-${n + 2}`)],
  );
  t.same(instance.faults, []);
});

t.test('of several signups at once with one handle, one has it; names of hosts are no subdomains', async (t) => {
  await using instance = await startInstance();
  const race = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      postSignup(instance, { handle: 'pilot', email: `o${n}@remote.test`, workspace_name: 'Fjord' }),
    ),
  );
  const statuses = race.map(({ status }) => status).sort();
  t.same(statuses, [201, ...Array(7).fill(409)]);
  for (const response of race) {
    const body = (await response.json()) as Record<string, unknown>;
    if (response.status === 409) t.match(body, { error: 'handle_taken', hint: String });
  }
  const names = await Promise.all(
    ['mx', 'Fjord', 'Fjord'].map((workspace_name, n) =>
      signUp(instance, { handle: `other-${n}`, email: 'o@remote.test', workspace_name }),
    ),
  );
  t.same(names.map(({ address }) => address.split('@')[1]?.split('.')[0]).sort(), ['fjord-2', 'fjord-3', 'mx-2']);
  const owned = { name: 'Fjord', owner_email: 'o@remote.test', plan: 'unlimited', verified: true };
  const added = await asOperator(instance, (call) => call(contracts.workspaces.add, owned));
  t.match(added, { name: 'Fjord', slug: 'fjord-4' }, 'a signup keeps no name from the operator');
  const bob = instance.client(instance.agents.bob);
  const [renamed, signed] = await Promise.allSettled([
    bob.identity.update({ handle: 'wanted' }),
    signUp(instance, { handle: 'wanted', email: 'o@remote.test' }),
  ]);
  t.same([renamed?.status, signed?.status].sort(), ['fulfilled', 'rejected'], 'nor do a signup and a change share one');
  t.same(instance.faults, []);
});

t.test('the instance takes so many that nobody claims, or none', async (t) => {
  await using instance = await startInstance({ toml: '[signup]\nmax_unclaimed = 2\n' });
  const tries = await Promise.all(
    [1, 2, 3].map((n) => postSignup(instance, { handle: `pilot-${n}`, email: 'o@remote.test' })),
  );
  t.same(tries.map(({ status }) => status).sort(), [201, 201, 429]);
  const refused = tries.find(({ status }) => status === 429);
  t.match(await refused?.json(), { error: 'rate_limited', hint: /takes no signups now/ });
  t.equal(refused?.headers.get('retry-after'), '3600');
});

t.test('a closed server takes no signups, and says so where agents and owners look', async (t) => {
  await using instance = await startInstance({ toml: '[signup]\nopen = false\n' });
  const refused = await postSignup(instance, { handle: 'pilot', email: 'o@remote.test' });
  t.same(await errorOf(refused), [403, 'signup_closed']);
  const skill = async (of: { baseUrl: string }) => (await fetch(`${of.baseUrl}/skill.md`)).text();
  t.match(await skill(instance), /Without a key: signup is closed on this server/);
  const owner = await signInOwner(instance);
  t.match((await owner.call('instance/get')).body, { instance: { signup_open: false } });
  await using open = await startInstance();
  t.match(await skill(open), /Without a key: `POST \/v1\/signup`/);
  await using none = await startInstance({ toml: '[signup]\nmax_unclaimed = 0\n' });
  t.same(await errorOf(await postSignup(none, { handle: 'pilot' })), [403, 'signup_closed']);
});

t.test('one without an address has no one who may claim it by mail', async (t) => {
  await using instance = await startInstance();
  const { claim_url, address, next } = await signUpByClient({ baseUrl: instance.baseUrl }, { handle: 'stray' });
  t.match(next[1], /^No `email` was given, so no claim link can be mailed/);
  const refused = await signUpByClient({ baseUrl: instance.baseUrl }, { handle: 'stray' }).catch((e: unknown) => e);
  t.match(refused, { status: 409, code: 'handle_taken' });
  t.equal(address, 'stray@stray.agents.box.test');
  const page = await fetch(claim_url);
  const offer = await page.text();
  t.match(offer, /No address was given at signup/);
  t.notMatch(offer, /named you/);
  const pressed = await fetch(claim_url, { method: 'POST' });
  t.equal(pressed.status, 409);
  t.match(await pressed.text(), /<h1>No link can be mailed/);
  const [act] = await listActs(instance, 'stray');
  t.equal(act?.detail.owner, null, 'no owner without a name');
  for (const [body, hint] of [
    [{ handle: 'noreply', email: 'o@remote.test' }, /`noreply` is reserved/],
    [{ handle: 'pilot', email: 'nobody' }, /`email`, not "nobody"/],
  ] as const) {
    t.match(await (await postSignup(instance, body)).json(), { hint });
  }
  const wrongMethod = await instance.request(null, 'GET', '/v1/signup');
  t.same([wrongMethod.status, wrongMethod.headers.get('www-authenticate')], [405, null]);
});

t.test('a signup by the name, slug or id of a workspace takes none of them from it', async (t) => {
  await using instance = await startInstance();
  const { id, name, slug } = instance.workspace;
  const show = (workspace: string) => cliJson(instance.configPath, 'workspaces', 'show', workspace);
  const names = [name, slug, id];
  for (const [at, workspace_name] of names.entries())
    await signUp(instance, { handle: `mallory${at}`, workspace_name });
  for (const each of names) t.match(await show(each), { id }, each);
  await signUp(instance, { handle: 'pilot', workspace_name: 'Fjord Research' });
  t.match(await show('Fjord Research'), { slug: 'fjord-research' }, 'its own name is its own');
  t.same(instance.faults, []);
});

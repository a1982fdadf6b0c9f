/** Secrets over the wire: made by persons, opened by the agents that they are granted to. */

import { renameSync } from 'node:fs';
import t from 'tap';
import { activityContract } from '../../../src/resources/activity/contract.ts';
import { secretsContract } from '../../../src/resources/secrets/contract.ts';
import type { SecretType } from '../../../src/store/vault/secrets.ts';
import { cliJson, runCli, runCliWith } from '../../harness/cli.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { addSecret, asOperator, listActs, operatorRefusal } from '../../harness/operator.ts';
import { changeData } from '../../harness/postgres/change-data.ts';

const NONE = '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40';
/** The seed of RFC 6238 appendix B. */
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

const get = async (instance: TestInstance, agent: TestAgent, path: string) => {
  const reply = await instance.request(agent, 'GET', `/v1/secrets${path}`);
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
};

t.test('a secret is listed, opened and refused as it is granted; each opening is in the log', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann, bob } = instance.agents;
  const value = { username: 'ann@shop.test', password: 'correct horse', totp_seed: SEED };
  const words = ['secrets', 'add', 'Shop', '--workspace', 'acme', '--type', 'login', '--tag', 'shop', '--tag', 'eu'];
  const added = await runCliWith(JSON.stringify(value), instance.configPath, ...words, '--grant', 'ann', '--json');
  t.equal(added.code, 0, added.stderr);
  const made = JSON.parse(added.stdout) as Record<string, unknown>;
  const id = String(made.id);
  t.match(made, { name: 'Shop', type: 'login', tags: ['shop', 'eu'], has_totp: true, version: 1, grants: ['ann'] });
  t.notMatch(JSON.stringify(made), /correct horse|GEZD/);

  const entry = { id, name: 'Shop', type: 'login', tags: ['shop', 'eu'], has_totp: true };
  t.match(await get(instance, ann, ''), { status: 200, body: { secrets: [entry] } });
  t.notMatch(JSON.stringify(await get(instance, ann, '')), /correct horse/);
  t.same((await get(instance, bob, '')).body, { secrets: [] });
  const { totp_seed: _, ...withoutSeed } = value;
  const opened = await get(instance, ann, `/${id}`);
  t.match(opened, { status: 200, body: { ...entry } });
  t.same(opened.body.secret, withoutSeed, 'its codes are given, its seed is not');

  const refused = { status: 404, body: { error: 'secret_not_found_or_not_granted' } };
  const [notGranted, notThere] = [await get(instance, bob, `/${id}`), await get(instance, bob, `/${NONE}`)];
  t.match(notGranted, refused);
  t.same(notGranted, notThere, 'the same words');
  t.match(await get(instance, ann, '/no-uuid'), refused);
  t.same(await get(instance, bob, `/${id}/totp`), await get(instance, bob, `/${NONE}/totp`));

  const api = instance.client(ann);
  const code = await api.secrets.totp({ id });
  t.match(code, { code: /^\d{6}$/, digits: 6, period: 30 });
  const until = Date.parse(code.expires_at) - clock.now();
  t.ok(until > 0 && until <= 30_000);
  const plain = await addSecret(instance, 'Api', 'api_key', { key: 'k'.repeat(20) }, { grants: ['ann', 'bob'] });
  t.match(await get(instance, ann, `/${plain.id}/totp`), { status: 404, body: { error: 'no_totp_on_secret' } });

  const grant = await runCli(instance.configPath, 'secrets', 'grant', 'Shop', 'ann', '--with-seed');
  t.equal(grant.code, 0, grant.stderr);
  const listed = await runCli(instance.configPath, 'secrets', 'list', '--json');
  t.match(JSON.parse(listed.stdout), {
    secrets: [{ grants: ['ann', 'bob'], seed_grants: [] }, { seed_grants: ['ann'] }],
  });
  await using tools = await connectMcp(instance, ann);
  t.match((await tools.call('list_secrets')).structured, { secrets: [{ name: 'Api' }, { name: 'Shop' }] });
  t.same((await tools.call('get_secret', { secret_id: id })).structured.secret, value);
  t.match((await tools.call('get_totp_code', { secret_id: id })).structured, { digits: 6 });
  t.match((await tools.call('get_secret', { secret_id: NONE })).refusal, { error: 'secret_not_found_or_not_granted' });

  const activity = await listActs(instance, 'acme');
  t.same(
    activity.map(({ actor, action, subject, via }) => [actor, action, subject, via].join(' ')),
    [
      'ann secret.totp Shop MCP',
      'ann secret.open Shop MCP',
      'operator secret.grant Shop CLI',
      'operator secret.add Api CLI',
      'ann secret.totp Shop REST',
      'ann secret.open Shop REST',
      'operator secret.add Shop CLI',
    ],
  );
  t.match(activity[0]?.detail, { secret_id: id, version: 1, by_key: String });
  t.notMatch(JSON.stringify(activity), /correct horse|GEZD|kkkk/);

  await asOperator(instance, (call) => call(secretsContract.grant, { secret: id, agent: 'bob' }));
  t.same(
    (await get(instance, bob, `/${id}`)).body.secret,
    withoutSeed,
    'the seed is for the agent that it is given to',
  );
  t.same(instance.faults, []);
});

t.test('persons change, grant, ungrant and remove; refusals change nothing', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const { id } = await addSecret(
    instance,
    'Deploy',
    'ssh_key',
    { private_key: 'one two three', passphrase: 'p' },
    { grants: ['ann'], tags: ['ci'] },
  );
  const of = { workspace: 'acme', secret: 'deploy' };
  const { grant, ungrant, change, add, list, remove } = secretsContract;
  await asOperator(instance, (call) => call(grant, { ...of, agent: 'bob' }));
  t.match(await get(instance, bob, `/${id}`), { body: { secret: { private_key: 'one two three', passphrase: 'p' } } });
  const changed = await asOperator(instance, (call) => call(change, { ...of, value: { private_key: 'four' } }));
  t.match(changed, {
    version: 2,
    grants: ['ann', 'bob'],
    tags: ['ci'],
    workspace: 'acme',
    not_guarded: ['private_key'],
  });
  t.same((await get(instance, bob, `/${id}`)).body.secret, { private_key: 'four' });
  const tagged = await asOperator(instance, (call) => call(change, { ...of, tags: ['a', 'b', 'a'] }));
  t.match(tagged, { version: 3, tags: ['a', 'b'], not_guarded: [] });
  t.same((await get(instance, bob, `/${id}`)).body.secret, { private_key: 'four' }, 'tags alone leave the value');
  t.match(await operatorRefusal(instance, (call) => call(change, of)), { code: 'invalid_request', hint: /`tags`/ });
  const named = await get(instance, bob, '/Deploy');
  t.match(named, {
    status: 404,
    body: { error: 'secret_not_found_or_not_granted', hint: /its id, as `list_secrets`/ },
  });
  await asOperator(instance, (call) => call(ungrant, { ...of, agent: 'bob' }));
  t.equal((await get(instance, bob, `/${id}`)).status, 404);

  const eve = await instance.addAgent('eve', await instance.addWorkspace('Other'));
  t.match(await operatorRefusal(instance, (call) => call(grant, { ...of, agent: 'eve' })), { code: 'agent_not_found' });
  t.equal((await get(instance, eve, `/${id}`)).status, 404);

  const attempts: [name: string, type: SecretType, value: object, told: RegExp][] = [
    ['DEPLOY', 'ssh_key', { private_key: 'hunter2' }, /has a secret of that name/],
    ['New', 'ssh_key', { password: 'hunter2' }, /has private_key/],
    ['New', 'login', { username: 'a', password: 'hunter2', totp_seed: 'hunter 2 (189)' }, /base32/],
    ['New', 'login', { username: 'hunter2' }, /has username, password/],
    ['New', 'api_key', { key: 5 }, /not the form/],
    ['New', 'api_key', { key: { hunter2: 1 } }, /not the form/],
    ['New', 'api_key', ['hunter2'], /not the form/],
    ['New', 'api_key', { key: '' }, /not the form/],
    ['New', 'other', { data: 'hunter2'.repeat(20_000) }, /not the form/],
    ['New', 'key_pair', { access_key: 'hunter2'.repeat(5_000), secret_key: 'hunter2'.repeat(5_000) }, /at most 65536/],
  ];
  for (const [name, type, value, told] of attempts) {
    const input = { workspace: 'acme', name, type, value: value as Record<string, string> };
    const { hint, fields } = await operatorRefusal(instance, (call) => call(add, input));
    t.match(hint, told);
    t.notMatch(hint + JSON.stringify(fields), /hunter2|5\b/, 'what was given is not repeated');
  }
  const { secrets } = await asOperator(instance, (call) => call(list, { workspace: 'acme' }));
  t.match(secrets, [{ name: 'Deploy', version: 3, grants: ['ann'] }]);
  t.equal(secrets.length, 1);

  await asOperator(instance, (call) => call(remove, of));
  t.equal((await get(instance, ann, `/${id}`)).status, 404);
  t.same((await get(instance, ann, '')).body, { secrets: [] });
  t.same(instance.faults, []);
});

t.test('the command line shows no value, and repeats none', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'Deploy', 'other', { data: 'hunter2hunter2' }, { grants: ['ann', 'bob'] });
  const of = ['--workspace', 'acme'];
  const run = (stdin: string, ...words: string[]) => {
    const line = ['secrets', ...words, ...of];
    return stdin === '' ? runCli(instance.configPath, ...line) : runCliWith(stdin, instance.configPath, ...line);
  };
  const runs: [code: number, said: RegExp, stdin: string, ...words: string[]][] = [
    [2, /JSON object/, 'hunter2 is no JSON', 'add', 'New', '--type', 'api_key'],
    [2, /no type/, '{"key":"hunter2"}', 'add', 'New', '--type', 'nothing'],
    [1, /already/, '{"data":"hunter2"}', 'add', 'deploy', '--type', 'other'],
    [0, /Deploy +other .*ann,bob/, '', 'list'],
    [0, /version +2/, '{"data":"hunter2 changed"}', 'change', 'Deploy', '--tag', 'a'],
    [0, /Too short for the leak guard.*: data/, '{"data":"hunter2"}', 'change', 'Deploy'],
    [0, /tags +x, y\n/, '', 'change', 'Deploy', '--tags-only', '--tag', 'x', '--tag', 'y', '--tag', 'x'],
    [2, /JSON object/, '{}x', 'change', 'Deploy', '--tag', 'z'],
    [0, / acme +Deploy +other +x,y /, '', 'list'],
    [0, /tags +-\n/, '', 'change', 'Deploy', '--tags-only'],
    [0, /totp_seed.*\n.*endpoint[\s\S]*docs\/vault/, '', 'add', '--help'],
    [0, /may be opened by ann/, '', 'ungrant', 'Deploy', 'bob'],
    [1, /not granted/, '', 'ungrant', 'Deploy', 'bob'],
    [0, /may be opened by ann, bob/, '', 'grant', 'Deploy', 'bob'],
    [1, /No secret/, '', 'grant', 'Nothing', 'ann'],
    [2, /--yes/, '', 'remove', 'Deploy'],
    [0, /is removed/, '', 'remove', 'Deploy', '--yes'],
  ];
  for (const [code, said, stdin, ...words] of runs) {
    const outcome = await run(stdin, ...words);
    t.equal(outcome.code, code, outcome.stderr);
    t.match(outcome.stdout + outcome.stderr, said);
    t.notMatch(outcome.stdout + outcome.stderr, /hunter2/, words.join(' '));
  }
});

t.test('no key without the scope, and no key at all, makes or opens secrets', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { id } = await addSecret(instance, 'Shop', 'api_key', { key: 'k'.repeat(20) }, { grants: ['ann'] });
  const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:read,mail:send');
  for (const path of ['', `/${id}`, `/${id}/totp`]) {
    const { status, body } = await get(instance, { ...ann, key: String(key) }, path);
    t.match({ status, body }, { status: 403, body: { error: 'insufficient_scope', scope: 'vault' } });
  }
  for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) {
    t.match(String((await instance.request(ann, method, '/v1/secrets', {})).status), /^40[45]$/, method);
    t.match(String((await instance.request(ann, method, `/v1/secrets/${id}`, {})).status), /^40[45]$/, method);
  }
  t.equal((await instance.request(null, 'GET', '/v1/secrets')).status, 401);
});

t.test('a damaged row is an error that repeating does not mend', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { id } = await addSecret(instance, 'Shop', 'api_key', { key: 'k'.repeat(20) }, { grants: ['ann'] });
  await changeData(instance.config, 'update secrets set tags = \'["other"]\'');
  const { status, body } = await get(instance, ann, `/${id}`);
  t.match({ status, body }, { status: 500, body: { error: 'secret_unreadable', hint: /does not help/ } });
  t.match(instance.faults, [{ err: { cause: { message: `The secret ${id} does not decrypt.` } } }]);
  t.match(
    (await listActs(instance, 'acme')).map(({ action }) => action),
    ['secret.add'],
    'nothing was opened',
  );
});

t.test('no value is answered whose opening cannot be recorded', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { id } = await addSecret(instance, 'Shop', 'api_key', { key: 'k'.repeat(20) }, { grants: ['ann'] });
  await changeData(instance.config, {
    sqlite: "create trigger stopped before insert on activity begin select raise(abort, 'disk full'); end",
    postgres: `create function stop() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
      create trigger stopped before insert on activity for each row execute function stop()`,
  });
  for (const path of [`/${id}`, `/${id}`]) {
    const { status, body } = await get(instance, ann, path);
    t.match({ status, body }, { status: 500, body: { error: 'internal_error' } });
    t.notMatch(JSON.stringify(body), /kkkk/);
  }
  const refused = await instance.request(ann, 'PATCH', '/v1/identity', { filter_mode: 'whitelist' });
  t.equal(refused.status, 500);
  const drop = 'drop trigger stopped';
  await changeData(instance.config, { sqlite: drop, postgres: `${drop} on activity` });
  t.equal((await instance.client(ann).identity.get({})).filter_mode, 'blacklist', 'nor was the act done');
  t.equal((await get(instance, ann, `/${id}`)).status, 200);
  t.match(await asOperator(instance, (call) => call(activityContract.verify, {})), { ok: true });
});

t.test('without its key the daemon serves mail, and says what it lacks', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { id } = await addSecret(instance, 'Shop', 'api_key', { key: 'k'.repeat(20) }, { grants: ['ann'] });
  const other = await instance.addAgent('zoe', await instance.addWorkspace('Other'));
  const keyFile = instance.config.vault.key_file;
  renameSync(keyFile, `${keyFile}.away`);
  await instance.restart();
  const ready = async () => (await fetch(new URL('/readyz', instance.baseUrl))).json() as Promise<{ vault: string }>;
  t.match(await ready(), { ready: true, vault: 'key missing' });
  t.match(await get(instance, ann, ''), { status: 200, body: { secrets: [{ name: 'Shop' }] } });
  t.match(await get(instance, ann, `/${id}`), { status: 503, body: { error: 'vault_unavailable' } });
  const api = instance.client(ann);
  const held = await api.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(held.status, 'held', 'what cannot be searched for secrets waits for a person');
  t.match((await api.pending.listPending({})).pending, [{ reason: 'secrets_not_checked' }]);
  const reviewed = await runCli(instance.configPath, 'pending', 'show', held.pendingId ?? '');
  t.match(reviewed.stdout, /^holds +not searched, as the vault's key was missing/m);
  const sent = await instance.client(other).messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(sent.status, 'sent', 'a workspace without secrets is not held up');
  renameSync(`${keyFile}.away`, keyFile);
  t.match(await get(instance, ann, `/${id}`), { status: 200 }, 'the key is back');
  t.match(await ready(), { vault: 'signs after a restart' });
  await instance.restart();
  t.match(await ready(), { ready: true, vault: 'open' });
  const [mail] = await instance.receiver.waitFor(1);
  t.match(mail?.raw.toString(), /^DKIM-Signature:/m, 'what waited for its signature leaves');
});

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { outcomeOf } from '../../../../src/cli/run.ts';
import { documentOf, postroom } from '../postroom.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const KEY = /^svc_[A-Za-z0-9_-]{43}$/;

/** A new instance, and two ways to run commands on it: as a process of their own, and within this one, which is quicker. */
const instance = async (t: Test) => {
  const cwd = t.testdir();
  const config = join(cwd, 'box.toml');
  const names = ['--hostname', 'mx.example.com', '--base-domain', 'agents.example.com'];
  const made = await outcomeOf(['init', ...names, '--data-dir', join(cwd, 'data'), '--config', config]);
  if (made.code !== 0) throw new Error(made.stderr);
  const spawn = (...args: string[]) => postroom(args, { cwd, env: { POSTROOM_CONFIG: 'box.toml' } });
  const run = (...args: string[]) => outcomeOf(['--config', config, ...args]);
  const ask = async <T = Record<string, unknown>>(...args: string[]) => documentOf<T>(await run(...args, '--json'));
  const askSpawned = async <T = Record<string, unknown>>(...args: string[]) =>
    documentOf<T>(await spawn(...args, '--json'));
  return { cwd, run, ask, spawn, askSpawned };
};

t.test('an instance from nothing: workspace, agents, keys, domains', async (t) => {
  const { run, ask, spawn, askSpawned } = await instance(t);
  t.same(await ask('workspaces', 'list'), { workspaces: [] });
  t.match(await run('agents', 'list'), { code: 0, stdout: 'No agents yet.', stderr: '' });

  const acme = await askSpawned<{ id: string }>(
    'workspaces',
    'add',
    'Acme, Inc.',
    '--owner',
    'you@example.com',
    '--verified',
  );
  const subdomain = 'acme-inc.agents.example.com';
  t.match(acme, { id: ID, name: 'Acme, Inc.', slug: 'acme-inc', subdomain, plan: 'unlimited' });
  t.same(Object.keys(acme), ['id', 'name', 'slug', 'subdomain', 'plan']);

  const sales = await ask<{ id: string; api_key: string }>('agents', 'add', 'sales', '--workspace', 'acme-inc');
  t.match(sales, { id: ID, handle: 'sales', address: `sales@${subdomain}`, api_key: KEY });
  t.same(Object.keys(sales), ['id', 'handle', 'address', 'api_key']);
  const named = ['--domain', subdomain, '--display-name', 'Ann of Support'];
  await ask('agents', 'add', 'support', '--workspace', acme.id, ...named);

  const { agents } = await ask<{ agents: unknown[] }>('agents', 'list', '--workspace', 'Acme, Inc.');
  t.match(agents, [
    { id: sales.id, handle: 'sales', address: `sales@${subdomain}`, display_name: null, status: 'active' },
    {
      handle: 'support',
      display_name: 'Ann of Support',
      workspace: 'acme-inc',
      workspace_id: acme.id,
      created_at: TIME,
    },
  ]);
  for (const name of ['sales', `SALES@${subdomain}`, sales.id]) {
    t.match(await ask('agents', 'show', name), { id: sales.id, handle: 'sales' });
  }
  t.match(await ask('workspaces', 'show', 'acme-inc'), {
    id: acme.id,
    owner_email: 'you@example.com',
    verified_at: TIME,
    domains: [subdomain],
    agents: [{ handle: 'sales' }, { handle: 'support' }],
  });

  const added = await ask<{ id: string; key: string }>(
    ...['keys', 'add', 'sales', '--name', 'reader', '--scopes', 'notes,mail:read', '--expires', '30d'],
  );
  t.match(added, { id: ID, key: KEY });
  t.same(Object.keys(added), ['id', 'key']);
  const listed = await run('keys', 'list', 'sales', '--json');
  t.match(documentOf(listed), {
    keys: [
      {
        id: added.id,
        handle: 'sales',
        name: 'reader',
        scopes: ['mail:read', 'notes'],
        expires_at: TIME,
        revoked_at: null,
      },
      { agent_id: sales.id, name: 'default', scopes: null, last_used_at: null, expires_at: null },
    ],
  });
  t.notMatch(listed.stdout, /svc_/, 'no key is ever shown again');
  t.match(await run('keys', 'list'), { stdout: /^ID .*\n.*reader.*\n.*default.*\n.*default/ });

  t.match(await spawn('keys', 'revoke', added.id), { code: 2, stdout: '', stderr: /Revoke the key "reader".*--yes/ });
  t.match(await ask('keys', 'revoke', added.id, '--yes'), { id: added.id, revoked_at: TIME });
  t.match(await run('keys', 'revoke', added.id, '--yes'), { code: 1, stderr: /revoked already/ });
  t.match(await run('keys', 'revoke', sales.id, '--yes'), { code: 1, stderr: /No key has the id/ });

  const { domains } = await ask<{ domains: unknown[] }>('domains', 'list', '--workspace', 'acme-inc');
  t.match(domains, [
    {
      ...{ id: ID, domain: subdomain, kind: 'subdomain', status: 'pending', can_send: true },
      ...{ dkim_records_pending: false, dkim_status: 'pending', verified_at: null, last_checked_at: null },
      created_at: TIME,
    },
  ]);
  t.same(await ask('queue', 'list'), { queue: [] });
  t.match(await run('queue', 'list'), { code: 0, stdout: 'The queue is empty.' });
});

t.test('dns show has the records in three forms, for the base domain before the first start too', async (t) => {
  const { run, ask } = await instance(t);
  const records = await ask<{ purpose: string }[]>('dns', 'show', 'Agents.Example.COM.');
  t.same(
    records.map(({ purpose }) => purpose),
    ['mx', 'spf', 'dkim', 'dkim', 'dkim', 'dmarc', 'mta_sts', 'mta_sts', 'tls_rpt'],
  );
  const mx = { type: 'MX', name: 'agents.example.com', value: 'mx.example.com', priority: 10, ttl: 3600 };
  t.same(records[0], { purpose: 'mx', ...mx, required: true, role: null, status: 'unchecked', found: [], hint: null });
  const json = await run('dns', 'show', 'agents.example.com', '--format', 'json');
  t.same(documentOf(json), records, 'the same keys, and --format json is --json');
  const zone = await run('dns', 'show', 'agents.example.com', '--format', 'zone');
  t.match(zone, { code: 0, stdout: /^agents\.example\.com\. 3600 IN MX 10 mx\.example\.com\.\n/ });
  t.match(await run('dns', 'show', 'agents.example.com'), { code: 0, stdout: /^TYPE +NAME +ROLE +VALUE\nMX / });
  t.match(await run('dns', 'show', 'agents.example.com', '--format', 'xml'), { code: 2, stderr: /table, zone, json/ });
  t.match(await run('dns', 'show', 'example.com'), { code: 1, stderr: /no domain of this instance/ });
});

t.test('what is refused says why; nothing goes to stdout', async (t) => {
  const { run, ask } = await instance(t);
  const first = await ask<{ id: string }>('workspaces', 'add', 'Twin', '--owner', 'a@example.com', '--plan', 'free');
  const second = await ask<{ id: string }>('workspaces', 'add', 'Twin!', '--owner', 'b@example.com');
  const third = await ask<{ id: string }>('workspaces', 'add', 'twin-2', '--owner', 'c@example.com');
  t.match(await ask('workspaces', 'list'), {
    workspaces: [
      { slug: 'twin', plan: 'free', verified_at: null },
      { slug: 'twin-2', plan: 'unlimited', owner_email: 'b@example.com' },
      { slug: 'twin-2-2', name: 'twin-2' },
    ],
  });
  const twin = await run('agents', 'add', 'sales', '--workspace', 'twin-2', '--json');
  t.match(twin, { code: 1, stdout: '' });
  t.ok(twin.stderr.includes(second.id) && twin.stderr.includes(third.id), 'both candidates are named');
  await ask('agents', 'add', 'sales', '--workspace', 'Twin!');

  const refusals: [args: string[], code: number, stderr: RegExp][] = [
    [['agents', 'add', 'sales', '--workspace', 'twin'], 1, /handle_taken/],
    [['agents', 'add', 'postmaster', '--workspace', 'twin'], 1, /invalid_handle/],
    [['agents', 'add', 'help', '--workspace', 'nobody'], 1, /No workspace is called nobody/],
    [['agents', 'add', 'help', '--workspace', 'twin', '--domain', 'x.org'], 1, /It has: twin\.agents\.example\.com/],
    [['agents', 'show', 'nobody'], 1, /No agent is called nobody/],
    [['keys', 'add', 'nobody'], 1, /No agent/],
    [['keys', 'add', 'sales', '--scopes', 'mail:read,all'], 2, /no scope \\"all\\"/],
    [['keys', 'add', 'sales', '--expires', 'soon'], 2, /is no time/],
    [['workspaces', 'add', 'X', '--owner', 'nobody'], 2, /no e-mail address/],
    [['workspaces', 'add', 'X', '--owner', 'a@example.com', '--plan', 'gold'], 2, /no plan gold/],
    [['workspaces', 'add', 'X'], 2, /--owner is missing/],
    [['queue', 'show', 'x'], 1, /No delivery/],
    [['queue', 'show', first.id], 1, /No delivery/],
  ];
  for (const [args, code, stderr] of refusals) {
    t.match(await run(...args, '--json'), { code, stdout: '', stderr }, args.join(' '));
  }
});

t.test('without the key of the vault, what needs it says so and the rest goes on', async (t) => {
  const { cwd, run, ask } = await instance(t);
  rmSync(join(cwd, 'vault.key'));
  t.match(await run('workspaces', 'add', 'X', '--owner', 'a@example.com'), { code: 1, stderr: /vault\.key\nRestore/ });
  t.match(await run('dns', 'show', 'agents.example.com'), { code: 1, stderr: /vault's key is missing/ });
  t.same(await ask('workspaces', 'list'), { workspaces: [] });
});

t.test('a config or key file that cannot be used is 78', async (t) => {
  const { cwd, run, spawn } = await instance(t);
  t.match(await run('agents', 'list', '--config', join(cwd, 'other.toml')), {
    code: 78,
    stdout: '',
    stderr: /no such file/,
  });
  t.match(await run('serve', '--config', join(cwd, 'vault.key')), { code: 78, stdout: '', stderr: /vault\.key:1/ });
  chmodSync(join(cwd, 'vault.key'), 0o644);
  t.match(await run('agents', 'list'), { code: 78, stdout: '', stderr: /chmod 600/ });
  const config = join(cwd, 'box.toml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('mode = "acme"', 'mode = "files"'));
  t.match(await spawn('serve'), { code: 78, stderr: /tls\.cert_file/ });
});

t.test('what is refused is one JSON document where that is asked for', async (t) => {
  const { run } = await instance(t);
  await run('workspaces', 'add', 'Acme', '--owner', 'you@example.com');
  const cases: [args: string[], code: number, error: string, hint: RegExp][] = [
    [['agents', 'add'], 2, 'wrong_usage', /^HANDLE and --workspace are missing\./],
    [['agents', 'add', 'postmaster', '--workspace', 'acme'], 1, 'invalid_handle', /reserved/],
    [['workspaces', 'show', 'nope'], 1, 'workspace_not_found', /No workspace is called nope/],
    [
      ['workspaces', 'add', 'ACME', '--owner', 'you@example.com'],
      1,
      'workspace_exists',
      /There is a workspace Acme already/,
    ],
    [['workspaces', 'plan', 'acme', '--plan', 'pro', '--spend-cap', '-1'], 2, 'wrong_usage', /-1 is no amount/],
    [['queue', 'list', '--workspace', 'nope'], 1, 'workspace_not_found', /No workspace is called nope/],
  ];
  for (const [args, code, error, hint] of cases) {
    const outcome = await run(...args, '--json');
    t.match(outcome, { code, stdout: '' }, args.join(' '));
    const document = JSON.parse(outcome.stderr) as Record<string, string>;
    t.same(Object.keys(document), ['error', 'hint']);
    t.match(document, { error, hint }, args.join(' '));
  }
});

t.test('the base domain is listed before the daemon has ever run', async (t) => {
  const { ask } = await instance(t);
  t.match(await ask('domains', 'list'), { domains: [{ domain: 'agents.example.com', kind: 'base' }] });
});

/** After a run that uses every secret, key and token, none stands in what the daemon writes: log, data, a crash's report. */

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openInstance } from '../../../src/app/instance.ts';
import { readKeyFile, writeKeyFile } from '../../../src/seal/key-file.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { findGrantedSecret, listSecrets } from '../../../src/store/vault/secrets.ts';
import { cliJson, runCliWith } from '../../harness/cli.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { addSecret } from '../../harness/operator.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { startProcessBox } from '../../harness/process.ts';

/** A module of the daemon's process that lets a signal end it by an error that nothing catches. */
const CRASH = "process.on('SIGUSR2', () => { throw new Error('crashed by the test'); });";
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

const VALUES = {
  password: 'correct horse battery staple',
  uri: `otpauth://totp/Shop:ann?secret=${SEED}&digits=8`,
  key: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  private_key:
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----',
  passphrase: 'pä55phräse of it',
  data: 'anything at all, so long as it is secret',
  later: 'what the secret was changed to',
};

/** The bytes themselves, and what base64 makes of them wherever they begin, in both alphabets. */
const formsOf = (value: Buffer): Buffer[] => [
  value,
  ...[0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), value])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(0, -1);
    const own = encoded.slice(Math.ceil((before * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')].map((text) => Buffer.from(text));
  }),
];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

ofSqlite(t, 'the file is searched')('log, answers to mistakes, data file, WAL and crash report', async (t) => {
  const reports = t.testdir({});
  const nodeOptions = [
    ...['--import', `data:text/javascript,${encodeURIComponent(CRASH)}`],
    ...['--report-uncaught-exception', `--report-directory=${reports}`],
  ];
  await using box = await startProcessBox({}, nodeOptions);
  const { instance } = box;
  const { ann, bob } = instance.agents;
  const { configPath, config } = instance;
  const grants = { grants: ['ann'] };

  const login = { username: 'ann@shop.test', password: VALUES.password, totp_seed: VALUES.uri };
  const words = ['secrets', 'add', 'Shop', '--workspace', 'acme', '--type', 'login', '--grant', 'ann', '--json'];
  const added = await runCliWith(JSON.stringify(login), configPath, ...words);
  const secrets = [
    JSON.parse(added.stdout) as { id: string },
    await addSecret(instance, 'Api', 'api_key', { key: VALUES.key }, grants),
    await addSecret(instance, 'S3', 'key_pair', { access_key: 'AKIA', secret_key: VALUES.secret_key }, grants),
    await addSecret(
      instance,
      'Ssh',
      'ssh_key',
      { private_key: VALUES.private_key, passphrase: VALUES.passphrase },
      grants,
    ),
    await addSecret(instance, 'Other', 'other', { data: VALUES.data }, grants),
  ];
  const change = ['secrets', 'change', 'Other', '--workspace', 'acme'];
  await runCliWith(JSON.stringify({ data: VALUES.later }), configPath, ...change);
  const second = await cliJson(configPath, 'keys', 'add', 'ann', '--name', 'second');

  const api = instance.client(ann);
  const { secret: hook } = await api.webhooks.create({ url: 'https://hooks.test/x', events: ['message.received'] });
  await using tools = await connectMcp(instance, ann);
  let said = added.stdout + added.stderr;
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(new URL(path, instance.baseUrl), init);
    said += await reply.text();
    return reply.status;
  };
  const auth = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  for (const { id } of secrets) {
    await api.secrets.get({ id });
    await tools.call('get_secret', { secret_id: id });
    await api.secrets.totp({ id }).catch((error: unknown) => {
      said += String(error);
    });
    t.equal(await ask(`/v1/secrets/${id}`, auth(bob.key)), 404);
    t.equal(await ask(`/v1/secrets/${id}?x=1`, auth(ann.key)), 400);
  }
  // Keys and values where they do not belong.
  const wrong = `${ann.key.slice(0, -1)}${ann.key.endsWith('A') ? 'B' : 'A'}`;
  t.equal(await ask('/v1/messages', auth(wrong)), 401);
  t.equal(await ask('/v1/messages', { headers: { authorization: `Basic ${ann.key}` } }), 401);
  t.equal(await ask(`/v1/${String(second.key)}`, auth(String(second.key))), 404);
  t.equal(await ask('/v1/messages', { method: 'POST', ...auth(ann.key), body: '{' }), 415);
  t.equal(await ask('/mcp', { method: 'POST', ...auth(ann.key) }), 415);

  const master = Buffer.from(readKeyFile(config.vault.key_file));
  await cliJson(configPath, 'vault', 'rotate-key', '--yes');
  await api.secrets.get({ id: secrets[0]?.id ?? '' });
  const rotated = Buffer.from(readKeyFile(config.vault.key_file));

  const pid = box.daemon.pid;
  // By it Node opens a debugger on loopback, which gives all that is in memory to each account of the machine.
  process.kill(pid, 'SIGUSR1');
  t.equal(await ask('/v1/messages', auth(ann.key)), 200);
  process.kill(pid, 'SIGUSR2');
  const exit = await box.daemon.ended;
  t.notSame(exit, { code: 0, signal: null });
  const log = box.daemon.output();
  t.match(log, /crashed by the test/);
  t.notMatch(log, /Debugger listening/);
  const written = [...filesIn(config.data_dir), ...filesIn(reports)];
  t.ok(written.some((path) => path.endsWith('-wal')));
  t.ok(
    written.some((path) => path.endsWith('.json')),
    'a report of the crash',
  );

  const needles: [name: string, value: Buffer][] = [
    ...Object.entries({
      ...VALUES,
      seed: SEED,
      hook,
      ann: ann.key,
      bob: bob.key,
      wrong,
      second: String(second.key),
    }).map(([name, value]): [string, Buffer] => [name, Buffer.from(value)]),
    ...[ann.key, String(second.key)].map((key): [string, Buffer] => [
      'a key, decoded',
      Buffer.from(key.slice(4), 'base64url'),
    ]),
    ['master key', master],
    ['rotated key', rotated],
    ['private key', Buffer.from('-----BEGIN PRIVATE KEY-----')],
  ];
  const haystacks: [name: string, bytes: Buffer][] = [
    ['the log', Buffer.from(log)],
    ['answers and errors', Buffer.from(said)],
    ...written.map((path): [string, Buffer] => [path, readFileSync(path)]),
  ];
  const control = Buffer.from('ann@acme.agents.box.test');
  t.ok(
    haystacks.some(([, bytes]) => bytes.includes(control)),
    'what is no secret is found',
  );
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.from(`${'x'.repeat(before)}${control}`).toString('base64');
    t.ok(
      formsOf(control).some((form) => encoded.includes(form.toString())),
      'in base64 as well',
    );
  }
  for (const [where, bytes] of haystacks) {
    const found = needles.filter(([, value]) => formsOf(value).some((form) => bytes.includes(form)));
    t.same(
      found.map(([name]) => name),
      [],
      where,
    );
  }

  // What a mail says that was held for a secret is the mail's; the log has nothing of it.
  await box.start();
  const held = await api.messages.send({ to: ['carol@remote.test'], subject: VALUES.key, body: VALUES.password });
  t.equal(held.status, 'held');
  await cliJson(configPath, 'pending', 'reject', held.pendingId ?? '', '--yes');
  await box.daemon.end('SIGTERM');
  for (const value of [VALUES.key, VALUES.password]) t.notOk(box.daemon.output().includes(value));
});

ofSqlite(t, 'the copy has the file')(
  'a stolen copy of the data directory opens nothing without the key file, or with another',
  async (t) => {
    await using box = await startProcessBox();
    const { instance } = box;
    await addSecret(instance, 'Api', 'api_key', { key: VALUES.key }, { grants: ['ann'] });
    const copy = join(t.testdir({}), 'stolen');
    mkdirSync(copy);
    cpSync(instance.config.data_dir, copy, { recursive: true });
    const otherKey = join(t.testdirName, 'other.key');
    writeKeyFile(otherKey);
    const storage = { url: { engine: 'sqlite' as const, file: join(copy, 'postroom.db') } };
    for (const key_file of [join(copy, 'vault.key'), otherKey]) {
      const vault = { key_file, is_credential: false };
      const stolen = await openInstance({ ...instance.config, data_dir: copy, storage, vault });
      const { store } = stolen;
      const agent = await findAgent(store.read, 'ann');
      const [head] = agent ? await listSecrets(store.read, agent.workspaceId) : [];
      const secret = agent && head && (await findGrantedSecret(store.read, agent.workspaceId, agent.id, head.id));
      t.equal(stolen.vaultKey, null, 'DKIM keys and webhook secrets');
      if (!secret) throw new Error('The copy has no secret.');
      await t.rejects(stolen.vault.open(store.read, secret), { message: 'vault_unavailable' });
      await stolen.close();
    }
  },
);

import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { outcomeOf } from '../../../../src/cli/run.ts';
import { freePort } from '../../../harness/net/free-port.ts';
import { BUILT, documentOf, postroom, SCRIPT, start } from '../postroom.ts';

const [NODE, MAIN] = BUILT;

const isReady = (line: string): boolean => line.includes('"msg":"ready"');

/** A config on loopback. The one name server is a port that nobody listens on, so no mail leaves. */
const configFor = async (t: Test, http: string, smtp = '127.0.0.1:0'): Promise<string> => {
  const dir = t.testdir();
  const path = join(dir, 'box.toml');
  const text = `
hostname = "mx.example.com"
base_domain = "agents.example.com"
public_url = "http://127.0.0.1"
data_dir = "data"
[vault]
key_file = "vault.key"
[http]
listen = ["${http}"]
private_listen = "127.0.0.1:0"
[tls]
mode = "off"
[smtp]
listen = ["${smtp}"]
[dns]
resolvers = ["127.0.0.1:${await freePort()}"]
`;
  writeFileSync(path, text);
  writeFileSync(join(dir, 'vault.key'), Buffer.alloc(32, 7), { mode: 0o600 });
  return path;
};

t.test('runs until SIGTERM or SIGINT, beside the other commands, alone on its data', async (t) => {
  const config = await configFor(t, '127.0.0.1:0');
  const dns = `127.0.0.1:${await freePort()}`;
  appendFileSync(config, `[dns.server]\nlisten = ["${dns}"]\n`);
  const ask = async <T>(...args: string[]) => documentOf<T>(await outcomeOf([...args, '--json', '--config', config]));
  await ask('workspaces', 'add', 'Acme', '--owner', 'you@example.com', '--verified');

  const daemon = start(NODE, [MAIN, 'serve', '--config', config]);
  t.teardown(() => daemon.process.kill('SIGKILL'));
  const ready = JSON.parse(await daemon.line(isReady)) as { http: string[]; smtp: string[] };
  t.match(ready, { msg: 'ready', http: [/^127\.0\.0\.1:\d+$/], smtp: [/^127\.0\.0\.1:\d+$/], dns: [dns] });

  const { api_key } = await ask<{ api_key: string }>('agents', 'add', 'sales', '--workspace', 'acme');
  const response = await fetch(`http://${ready.http[0]}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: ['you@example.org'], subject: 'Hello', body: 'Hello' }),
  });
  const { messageId } = (await response.json()) as { messageId: string };
  const { queue } = await ask<{ queue: { id: string }[] }>('queue', 'list');
  t.match(queue, [
    { message_id: messageId, address: 'you@example.org', status: /^(queued|deferred)$/, remote_host: null },
  ]);
  const keys = ['id', 'message_id', 'address', 'status', 'attempts', 'next_attempt_at', 'last_response', 'remote_host'];
  t.same(Object.keys(queue[0] ?? {}), [...keys, 'agent', 'subject', 'since']);
  const shown = await ask<Record<string, unknown>>('queue', 'show', queue[0]?.id ?? '');
  t.same(Object.keys(shown), [...keys, 'transcript']);

  const second = await postroom(['serve', '--config', config]);
  const lastLog = daemon.process.pid ?? 0;
  t.match(second, { code: 1, stdout: '', stderr: new RegExp(`Another daemon \\(process ${lastLog}\\)`) });

  daemon.process.kill('SIGTERM');
  t.equal(await daemon.ended, 0);
  for (const line of daemon.lines) t.type(JSON.parse(line), Object, 'every line is JSON');
  t.match(daemon.lines.at(-1), /"msg":"stopped"/);

  // From the sources, as a checkout runs, and with the same data.
  const next = start(SCRIPT, ['serve', '--config', config, '--json']);
  t.teardown(() => next.process.kill('SIGKILL'));
  await next.line(isReady);
  next.process.kill('SIGINT');
  t.equal(await next.ended, 0);
});

t.test('ends although what read its log has ended before', async (t) => {
  const daemon = start(NODE, [MAIN, 'serve', '--config', await configFor(t, '127.0.0.1:0')]);
  t.teardown(() => daemon.process.kill('SIGKILL'));
  await daemon.line(isReady);
  daemon.process.stdout?.destroy();
  daemon.process.kill('SIGTERM');
  const [code] = await once(daemon.process, 'exit', { signal: AbortSignal.timeout(20_000) });
  t.equal(code, 0);
});

t.test('a port that is taken is 1, and says which', async (t) => {
  const taken = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  for (const addresses of [[`127.0.0.1:${port}`], ['127.0.0.1:0', `127.0.0.1:${port}`]] as const) {
    const [http, smtp] = addresses;
    const config = await configFor(t, http, smtp);
    const stderr = new RegExp(`127\\.0\\.0\\.1:${port}.* Another program listens there`);
    t.match(await postroom(['serve', '--config', config]), { code: 1, stderr });
  }
});

t.test('the port of the DNS server is bound like any other', async (t) => {
  const port = await freePort();
  const config = await configFor(t, '127.0.0.1:0');
  appendFileSync(config, `[dns.server]\nlisten = ["127.0.0.1:${port}"]\n`);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const stderr = new RegExp(`127\\.0\\.0\\.1:${port}.* Another program listens there`);
  t.match(await postroom(['serve', '--config', config]), { code: 1, stderr });
});

t.test('a file of authorities that is missing, or none, is 78 and named, without a stack', async (t) => {
  const config = await configFor(t, '127.0.0.1:0');
  appendFileSync(config, '[network]\nextra_ca_file = "ca.pem"\n');
  const refused = { code: 78, stderr: /^postroom: network\.extra_ca_file .*\n?$/ };
  t.match(await outcomeOf(['serve', '--config', config]), refused);
  t.match(await outcomeOf(['doctor', '--config', config]), refused);
  writeFileSync(join(dirname(config), 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  t.match(await outcomeOf(['serve', '--config', config]), refused);
});

t.test('a certificate or key file that is missing, or none, is 78 and named', async (t) => {
  const config = await configFor(t, '127.0.0.1:0');
  const files = 'mode = "files"\ncert_file = "cert.pem"\nkey_file = "key.pem"';
  writeFileSync(config, readFileSync(config, 'utf8').replace('mode = "off"', files));
  const expect = async (stderr: RegExp) =>
    t.match(await outcomeOf(['serve', '--config', config]), { code: 78, stderr });
  await expect(/^postroom: tls\.cert_file: ENOENT.*cert\.pem'\n?$/);
  writeFileSync(join(dirname(config), 'cert.pem'), 'none');
  await expect(/^postroom: tls\.key_file: ENOENT.*key\.pem'\n?$/);
  writeFileSync(join(dirname(config), 'key.pem'), 'none');
  await expect(/^postroom: tls\.cert_file and tls\.key_file are no certificate and its key: .*\n?$/);
});

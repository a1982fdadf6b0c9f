/** The blocks of docs/tls for a web server in front, each run by its own program. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Agent, fetch, type RequestInit } from 'undici';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { selfSigned, tlsByFiles } from '../../harness/net/certificate.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const HOST = 'mx.example.com';
const page = readFileSync(join(import.meta.dirname, '../../../src/docs/tls.md'), 'utf8');
const blocks = [...page.matchAll(/```\w*\n(.*?)```/gs)].map(([, block = '']) => block);
const blockWith = (word: string): string => blocks.find((block) => block.includes(word)) ?? '';

/** Looks every name up at loopback and takes any certificate. */
const dispatcher = new Agent({
  connect: {
    rejectUnauthorized: false,
    lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  },
});
t.teardown(() => dispatcher.close());

/** Runs the program until the test ends; fails with its words where it ends before. */
const run = (t: Test, command: string, words: string[], folder: string): void => {
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child: ChildProcess = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      said += text;
    });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let isOver = false;
  child.once('close', (code) => {
    if (!isOver) t.fail(`${command} ended with ${code}: ${said}`);
  });
  t.teardown(() => {
    isOver = true;
    child.kill('SIGTERM');
    return ended;
  });
};

const behind = async (t: Test, tls: string, start: (folder: string, httpPort: number, port: number) => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-proxy-'));
  const instance = await startInstance({ http: 'trusted_proxies = ["127.0.0.1"]', tls });
  t.teardown(async () => {
    await instance[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const port = await freePort();
  start(folder, Number(new URL(instance.baseUrl).port), port);
  const ask = (path: string, request: RequestInit = {}) =>
    fetch(`https://${HOST}:${port}${path}`, {
      dispatcher,
      ...request,
      headers: { authorization: `Bearer ${instance.agents.ann.key}`, 'content-type': 'application/json' },
    });
  await eventually(() =>
    ask('/readyz').then(
      ({ ok }) => ok || null,
      () => null,
    ),
  );
  return { instance, ask };
};

type Behind = Awaited<ReturnType<typeof behind>>;

const serves = async (t: Test, { instance, ask }: Behind) => {
  const large = JSON.stringify({
    to: ['x@remote.test'],
    subject: 'large',
    body: 'with a file',
    attachments: [{ filename: 'a.bin', content_type: 'application/x-thing', content_base64: 'A'.repeat(13_000_000) }],
  });
  const sent = await ask('/v1/messages', { method: 'POST', body: large });
  t.equal(sent.status, 200, await sent.text());
  const refused = await ask('/v1/messages', { method: 'POST', body: 'x'.repeat(34_000_000) });
  t.match(await refused.json(), { error: 'body_too_large' }, 'the refusal of what is larger comes through');

  const wait = ask('/v1/messages/wait?timeout=30&subject=now');
  const stream = await ask('/v1/events');
  t.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  await arrive(instance);
  const answer = (await (await wait).json()) as { message: { subject: string } };
  t.equal(answer.message.subject, 'now', 'a wait ends with the mail');
  let read = '';
  for await (const part of stream.body ?? []) {
    read += Buffer.from(part).toString();
    if (read.includes('message.received')) break;
  }
  t.match(read, 'message.received', 'an event is passed on as it happens');
};

const arrive = (instance: TestInstance) =>
  sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: 'now' } });

t.test('Caddy', async (t) => {
  const proxy = await behind(t, 'mode = "off"', (folder, httpPort, port) => {
    const block = blockWith('reverse_proxy').replace('8080', `${httpPort}`).replace(HOST, `${HOST}:${port}`);
    const global = `{\n  admin off\n  auto_https disable_redirects\n  local_certs\n  skip_install_trust\n}\n`;
    writeFileSync(join(folder, 'Caddyfile'), global + block);
    run(t, 'caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], folder);
  });
  await serves(t, proxy);
});

t.test('nginx', async (t) => {
  const proxy = await behind(t, tlsByFiles(t), (folder, httpPort, port) => {
    const { cert, key } = selfSigned(HOST);
    writeFileSync(join(folder, 'fullchain.pem'), cert);
    writeFileSync(join(folder, 'privkey.pem'), key);
    const block = blockWith('proxy_pass')
      .replace('8080', `${httpPort}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll(`/etc/letsencrypt/live/${HOST}`, folder);
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
    const around = `daemon off; pid ${folder}/pid; error_log stderr; events {}\n`;
    writeFileSync(join(folder, 'nginx.conf'), `${around}http { access_log off; ${own.join(' ')}\n${block}}\n`);
    run(t, '/usr/sbin/nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], folder);
  });
  await serves(t, proxy);
  await using client = await RawSmtp.connect({ port: proxy.instance.smtpPort });
  await client.reply();
  t.match(await client.command('EHLO client.test'), /^250[ -]STARTTLS$/m, 'the same certificate is that of mail');
});

t.test('HAProxy', async (t) => {
  const proxy = await behind(t, 'mode = "off"', (folder, httpPort, port) => {
    const { cert, key } = selfSigned(HOST);
    writeFileSync(join(folder, 'both.pem'), `${cert}\n${key}`);
    const block = blockWith('option forwardfor')
      .replace('8080', `${httpPort}`)
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace(`/etc/haproxy/${HOST}.pem`, join(folder, 'both.pem'));
    writeFileSync(join(folder, 'haproxy.cfg'), `defaults\n  timeout connect 5s\n${block}`);
    run(t, '/usr/sbin/haproxy', ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], folder);
  });
  await serves(t, proxy);
});

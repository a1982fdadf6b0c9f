import { writeFileSync } from 'node:fs';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { openStream } from '../../harness/http/event-stream.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { beginSession, mcpRequest, messagesIn, toolCall } from '../../harness/mcp/mcp-request.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

/** A further key of ann's. */
const addKey = async ({ configPath }: TestInstance) =>
  (await cliJson(configPath, 'keys', 'add', 'ann')) as { id: string; key: string };

t.test('a key that is revoked at the command line ends what it holds open, and is given nothing more', async (t) => {
  await using instance = await startInstance();
  const { id, key } = await addKey(instance);
  const ann = { ...instance.agents.ann, key };
  const stream = await openStream(instance, ann);
  const waiting = instance.request(ann, 'GET', '/v1/messages/wait?timeout=50');
  const session = await beginSession(instance, ann);
  let isUnderWay = () => {};
  const underWay = new Promise<void>((resolve) => {
    isUnderWay = resolve;
  });
  const tool = mcpRequest(instance, ann, {
    headers: session,
    body: toolCall(1, 'wait_for_email', { timeout: 50 }),
    onReply: isUnderWay,
  }).catch(() => null);
  await underWay;
  await instance.request(ann, 'GET', '/v1/identity');

  await cliJson(instance.configPath, 'keys', 'revoke', id, '--yes');
  const began = Date.now();
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: 'After' } });
  t.same(await stream.rest(), [], 'the stream ends without it');
  const answer = await waiting;
  t.equal(answer.status, 401);
  t.match(await answer.json(), { error: 'invalid_key' });
  const called = await tool;
  t.notMatch(JSON.stringify(called && messagesIn(called)), /After/);
  t.ok(Date.now() - began < 12_000, 'at once, not at the next beat or the end of the wait');
  t.equal((await mcpRequest(instance, ann, { headers: session, body: toolCall(2, 'whoami') })).status, 401);
  await eventually(async () => instance.daemon.toolSessions.count === 0, 12_000);
  t.equal((await instance.request(instance.agents.ann, 'GET', '/v1/identity')).status, 200, 'her other key goes on');
  t.same(instance.faults, []);
});

t.test('a key that is revoked sends nothing more over a submission session', async (t) => {
  const { key: pem, cert } = selfSigned('mx.box.test');
  const files = { key: `${t.testdir()}/key.pem`, cert: `${t.testdirName}/cert.pem` };
  writeFileSync(files.key, pem);
  writeFileSync(files.cert, cert);
  const port = await freePort();
  await using instance = await startInstance({
    tls: `mode = "files"\ncert_file = "${files.cert}"\nkey_file = "${files.key}"`,
    toml: `[submission]\nlisten = ["127.0.0.1:${port}"]\n`,
  });
  const { address } = instance.agents.ann;
  const { id, key } = await addKey(instance);
  await using client = await RawSmtp.connect({ port, implicitTls: true });
  await client.reply();
  await client.command('EHLO client.test');
  const credentials = Buffer.from(`\0${address}\0${key}`).toString('base64');
  t.match(await client.command(`AUTH PLAIN ${credentials}`), /^235/);
  t.match(await client.command(`MAIL FROM:<${address}>`), /^250/);
  t.match(await client.command('RSET'), /^250/);
  await cliJson(instance.configPath, 'keys', 'revoke', id, '--yes');
  t.match(await client.command(`MAIL FROM:<${address}>`), /^421 4\.7\.0 The key of this session has ended/);
});

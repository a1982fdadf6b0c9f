import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import * as current from '@modelcontextprotocol/client';
import { StdioClientTransport as CurrentTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { currentMessage } from '../../harness/mcp/current-request.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { builtServer, startProcessBox } from '../../harness/process.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

/** From the sources, as a checkout runs; each start costs three times what one of the built server does. */
const POSTROOM = resolve(import.meta.dirname, '../../../scripts/postroom');
const environment = (key: string | null) => ({
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
  ...(key !== null && { POSTROOM_API_KEY: key }),
});

/** How a client launches the bridge for ann. */
const launched = ({ baseUrl, agents }: TestInstance, [command, ...words]: readonly [string, ...string[]]) => ({
  command,
  args: [...words, 'mcp', '--url', `${baseUrl}/mcp`],
  env: environment(agents.ann.key),
  stderr: 'pipe' as const,
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};

interface Bridge {
  child: ChildProcess;
  said: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  say(message: unknown): void;
  /** The answer to a request. */
  answer(id: string | number): Promise<Record<string, unknown>>;
}

const startBridge = (url: string, key: string | null): Bridge => {
  const child = spawn(process.execPath, [builtServer(), 'mcp', '--url', url], { env: environment(key) });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return {
    child,
    said,
    ended,
    say: (message) => child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    answer: (id) =>
      eventually(async () => {
        const lines = said.stdout.split('\n').filter((line) => line !== '');
        return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find((line) => line.id === id);
      }),
  };
};

t.test('the official client over stdio', async (t) => {
  await using instance = await startInstance();
  const transport = new StdioClientTransport(launched(instance, [POSTROOM]));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  t.ok((await client.listTools()).tools.length >= 28);
  t.match(await client.callTool({ name: 'whoami', arguments: {} }), { structuredContent: { handle: 'ann' } });
  const mail = { to: [instance.agents.bob.address], subject: 'By stdio', body: 'x'.repeat(100_000) };
  t.match(await client.callTool({ name: 'send_message', arguments: mail }), { structuredContent: { status: 'sent' } });
  await client.close();
  await eventually(async () => transport.pid === null);
});

t.test('the official client of the current revision over stdio, which has no session', async (t) => {
  await using instance = await startInstance();
  const transport = new CurrentTransport(launched(instance, [process.execPath, builtServer()]));
  const versionNegotiation = { mode: { pin: '2026-07-28' } };
  const client = new current.Client({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(transport);
  t.match(await client.callTool({ name: 'whoami', arguments: {} }), { structuredContent: { handle: 'ann' } });
  const cancelled = AbortSignal.timeout(500);
  await t.rejects(client.callTool({ name: 'wait_for_email', arguments: {} }, { signal: cancelled }));
  const begun = Date.now();
  await client.close();
  await eventually(async () => transport.pid === null);
  t.ok(Date.now() - begun < 20_000, 'it does not wait for the answer to what was cancelled');
});

t.test('it ends when its client does, with what was asked for answered, and its session with it', async (t) => {
  await using instance = await startInstance();
  const bridge = startBridge(instance.baseUrl, instance.agents.ann.key);
  // All at once, as a script pipes its lines in.
  bridge.say(INITIALIZE);
  bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  bridge.say('this is no message');
  bridge.say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_messages', arguments: {} } });
  bridge.say({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
  bridge.child.stdin?.end();
  t.equal(await bridge.ended, 0);
  const { result } = (await bridge.answer(3)) as { result: { tools: { name: string }[] } };
  t.ok(
    result.tools.length < 30 && result.tools.some(({ name }) => name === 'find_tools'),
    'a bare URL: the core tools',
  );
  t.match(await bridge.answer(2), { result: { structuredContent: { messages: [] } } });
  t.match(bridge.said.stderr, /^postroom: A line on stdin is no message/);
});

t.test('it ends when the endpoint does, or refuses it, and says why on stderr', async (t) => {
  const instance = await startInstance();
  const stranger = startBridge(`${instance.baseUrl}/mcp`, 'svc_nobody');
  stranger.say(INITIALIZE);
  t.equal(await stranger.ended, 1);
  t.match(stranger.said.stderr, /unknown, revoked or expired\. \(invalid_key\)/);
  t.match(await stranger.answer('first'), { error: { message: /invalid_key/ } });

  const bridge = startBridge(`${instance.baseUrl}/mcp`, instance.agents.ann.key);
  bridge.say(INITIALIZE);
  await bridge.answer('first');
  bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  bridge.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  await bridge.answer(2);
  await instance[Symbol.asyncDispose]();
  bridge.say({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
  t.equal(await bridge.ended, 69);
  t.match(bridge.said.stderr, /The endpoint does not answer: /);
  t.match(await bridge.answer(3), { error: { message: /does not answer/ } });

  const nowhere = startBridge(`http://127.0.0.1:${await freePort()}/mcp`, 'svc_x');
  nowhere.say(INITIALIZE);
  t.equal(await nowhere.ended, 69);
});

t.test('a call that is under way when the daemon dies is answered, and the bridge ends', async (t) => {
  await using process = await startProcessBox();
  const { instance, daemon } = process;
  const start = () => startBridge(instance.baseUrl, instance.agents.ann.key);
  const wait = currentMessage('tools/call', { name: 'wait_for_email', arguments: {} });
  const progressToken = 'p';
  const earlier = start();
  earlier.say(INITIALIZE);
  await earlier.answer('first');
  earlier.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  earlier.say({ ...wait, params: { ...wait.params, _meta: { progressToken } } });
  const latest = start();
  latest.say({ ...wait, params: { ...wait.params, _meta: { ...wait.params._meta, progressToken } } });
  for (const { said } of [earlier, latest])
    await eventually(async () => said.stdout.includes('notifications/progress'));
  await daemon.end('SIGKILL');
  for (const bridge of [earlier, latest]) {
    // Its stream broke, or what was asked on another connection of that moment.
    t.match(await bridge.answer(1), { error: { message: /The connection broke|other side closed/ } });
    t.equal(await bridge.ended, 69);
  }
});

t.test('what it is not started with', async (t) => {
  const keyless = startBridge('http://127.0.0.1:1/mcp', null);
  t.equal(await keyless.ended, 2);
  t.match(keyless.said.stderr, /POSTROOM_API_KEY/);
  const urlless = startBridge('mx.example.com', 'svc_x');
  t.equal(await urlless.ended, 2);
  t.match(urlless.said.stderr, /--url/);
});

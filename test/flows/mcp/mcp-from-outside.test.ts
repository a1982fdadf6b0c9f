/** What others made to judge a server by: the protocol's own conformance suite, and its inspector. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import { startKeyProxy } from '../../harness/http/key-proxy.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';

const BIN = resolve(import.meta.dirname, '../../../node_modules/.bin');

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Neither has anything of the runner's environment, nor of this user's home. */
const run = (instance: TestInstance, tool: string, ...args: string[]): Promise<Ended> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, HOME: instance.directory };
    execFile(
      process.execPath,
      [resolve(BIN, tool), ...args],
      { cwd: instance.directory, env },
      (error, stdout, stderr) => {
        done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      },
    );
  });

/** The scenarios that ask for no tool of a fixture server's. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

t.test('the conformance suite', async (t) => {
  await using instance = await startInstance();
  // It cannot be told to send a key.
  await using proxy = await startKeyProxy(instance.baseUrl, instance.agents.ann.key);
  for (const scenario of SCENARIOS) {
    const { code, stdout } = await run(
      instance,
      'conformance',
      'server',
      '--url',
      `${proxy.url}/mcp`,
      '--scenario',
      scenario,
    );
    t.equal(code, 0, `${scenario}: ${/^Passed: .*$/m.exec(stdout)?.[0] ?? stdout}`);
    t.match(stdout, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  }
  t.same(instance.faults, []);
});

t.test('the inspector lists and calls tools, and finds nothing in their schemas', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const inspect = (...args: string[]) =>
    run(
      instance,
      'mcp-inspector',
      '--cli',
      `${instance.baseUrl}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${ann.key}`,
      ...args,
    );
  const listed = await inspect('--method', 'tools/list', '--strict');
  t.equal(listed.code, 0, listed.stderr);
  t.equal(listed.stderr, '', 'not even a warning');
  t.ok((JSON.parse(listed.stdout) as { tools: unknown[] }).tools.length >= 28);
  const call = async (name: string, ...args: string[]) => {
    const pairs = args.flatMap((pair) => ['--tool-arg', pair]);
    const { code, stdout, stderr } = await inspect('--method', 'tools/call', '--tool-name', name, ...pairs);
    t.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { structuredContent: unknown }).structuredContent;
  };
  t.match(await call('whoami'), { handle: 'ann' });
  t.match(await call('send_message', `to=["${bob.address}"]`, 'subject=Hello', 'body=From the inspector.'), {
    status: 'sent',
  });
  t.match(await call('list_messages', 'limit=5'), { messages: [{ subject: 'Hello', direction: 'out' }] });
  const { stdout } = await inspect('--method', 'resources/templates/list');
  t.match(JSON.parse(stdout), { resourceTemplates: [{ name: 'attachment' }, { name: 'raw message' }] });
  t.same(instance.faults, []);
});

/** What others made to judge a server by: the protocol's own conformance suite, and its inspector. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import { startKeyProxy } from '../../harness/http/key-proxy.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CONFORMANCE = resolve(import.meta.dirname, 'conformance.ts');
const INSPECTOR = resolve(ROOT, 'test/consumer/node_modules/.bin/mcp-inspector');

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What Node has compiled of them. */
const { NODE_COMPILE_CACHE } = process.env;

/** Neither has anything else of the runner's environment, nor of this user's home. */
const run = (instance: TestInstance, tool: string, ...args: string[]): Promise<Ended> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, HOME: instance.directory, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
    execFile(process.execPath, [tool, ...args], { cwd: instance.directory, env }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
  });

const CURRENT = '2026-07-28';

/** The scenarios that ask for no tool of a fixture server's; with a revision, those of that one alone. */
const SCENARIOS: readonly (readonly [name: string, revision?: string])[] = [
  ['server-initialize'],
  ['server-session-lifecycle'],
  ['ping'],
  ['tools-list'],
  ['tools-list', CURRENT],
  ['resources-list'],
  ['resources-list', CURRENT],
  ['server-sse-multiple-streams'],
  ['server-sse-multiple-streams', CURRENT],
  ['dns-rebinding-protection'],
  ['dns-rebinding-protection', CURRENT],
  ['http-header-validation', CURRENT],
  ['sep-2164-resource-not-found', CURRENT],
  ['input-required-result-unsupported-methods', CURRENT],
  ['input-required-result-validate-input', CURRENT],
  ['server-stateless', CURRENT],
  ['caching', CURRENT],
];

/** Checks that fail, and why they have to. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': 'asks for the fixture tool test_missing_capability',
  'sep-2575-missing-capability-http-400': 'asks for the fixture tool test_missing_capability',
  'sep-2575-http-server-no-independent-requests-on-stream': 'asks for the fixture tool test_streaming_elicitation',
  'sep-2575-server-no-log-without-loglevel': 'asks for the fixture tool test_logging_tool',
  'sep-2549-prompts-list-caching-hints': 'there are no prompts',
};

t.test('the conformance suite', async (t) => {
  await using instance = await startInstance();
  // It cannot be told to send a key.
  await using proxy = await startKeyProxy(instance.baseUrl, instance.agents.ann.key);
  const runs = SCENARIOS.map(([scenario, revision]) => {
    const of = revision === undefined ? [] : ['--spec-version', revision];
    return JSON.stringify(['server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, ...of]);
  });
  const printed = (await run(instance, CONFORMANCE, ...runs)).stdout.split(/^== \d+$/m).slice(1);
  const failed = new Set<string>();
  for (const [at, [scenario, revision]] of SCENARIOS.entries()) {
    const stdout = printed[at] ?? '';
    const failures = [...stdout.matchAll(/\[([\w-]+) *\] .*FAILURE/g)].map(([, check = '']) => check);
    for (const check of failures) failed.add(check);
    const summary = /^Passed: (\d+)\/\d+, (\d+) failed, 0 warnings/m.exec(stdout);
    t.equal(Number(summary?.[2]), failures.length, `${scenario} ${revision ?? ''}: ${summary?.[0] ?? stdout}`);
    t.ok(Number(summary?.[1]) > 0);
  }
  t.same([...failed].sort(), Object.keys(EXCEPTIONS).sort(), 'no check fails but those that are named');
  t.same(instance.faults, []);
});

t.test('the inspector lists and calls tools, and finds nothing in their schemas', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const inspect = (...args: string[]) =>
    run(
      instance,
      INSPECTOR,
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
  t.match(await call('list_messages', 'limit=5'), { messages: [{ direction: 'out' }] });
  const { stdout } = await inspect('--method', 'resources/templates/list');
  t.match(JSON.parse(stdout), { resourceTemplates: [{ name: 'attachment' }, { name: 'raw message' }] });
  t.same(instance.faults, []);
});

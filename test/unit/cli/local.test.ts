import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outcomeOf } from '../../../src/cli/run.ts';
import { readKeyFile } from '../../../src/seal/key-file.ts';
import { CHECKOUT, documentOf, type Running, start } from './postroom.ts';

const NODE = join(CHECKOUT, 'node_modules/.bin/node');
const LOCAL = join(CHECKOUT, 'build/server/local.js');

/** What it printed, once it runs. */
const welcomeOf = async (local: Running) => {
  await local.line((line) => line.startsWith('Ctrl-C'));
  const text = local.lines.join('\n');
  const agents = [...text.matchAll(/^ {2}(\S+@\S+) +(svc_\S+)$/gm)].map(([, address = '', key = '']) => ({
    address,
    key,
  }));
  const curls = local.lines.filter((line) => line.startsWith('  curl '));
  const http = /HTTP {3}(\S+)/.exec(text)?.[1] ?? '';
  const link = /^ {2}(http:\/\/\S+\/console\/sign-in\/\S+)$/m.exec(text)?.[1] ?? '';
  const tools = /^ {2}(\{"mcpServers".+\})$/m.exec(text)?.[1] ?? '{}';
  return { agents, curls, http, link, tools: JSON.parse(tools) };
};

const read = async (http: string, key: string | undefined) => {
  const response = await fetch(`${http}/v1/messages`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as { messages?: { subject: string }[] } };
};

const send = async (http: string, key: string | undefined, to: string) => {
  const response = await fetch(`${http}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: [to], subject: 'Hello', body: 'Hello' }),
  });
  return { status: response.status, body: await response.json() };
};

t.test(
  'two agents that can write to each other and nowhere else; a second run keeps them and their keys',
  async (t) => {
    const data = t.testdir();
    const first = start(NODE, [LOCAL, data]);
    t.teardown(() => first.process.kill('SIGKILL'));
    const { agents, curls, http, link, tools } = await welcomeOf(first);
    t.match(agents, [{ address: 'alice@local.agents.localhost' }, { address: 'bob@local.agents.localhost' }]);
    t.equal(curls.length, 2);
    t.equal(readKeyFile(join(data, 'vault.key')).length, 32);
    t.same(tools, {
      mcpServers: {
        postroom: { url: `${http}/mcp?tools=core`, headers: { Authorization: `Bearer ${agents[0]?.key}` } },
      },
    });
    t.equal((await fetch(link, { headers: { 'sec-fetch-site': 'none' } })).status, 200, 'a link into the console');
    t.equal((await send(http, agents[0]?.key, 'bob@local.agents.localhost')).status, 200);
    t.match(await send(http, agents[0]?.key, 'someone@example.com'), {
      status: 422,
      body: { status: 'rejected', reason: 'local_mode' },
    });
    const flag = ['--config', join(data, 'postroom.toml'), '--json'];
    const suppressed = documentOf(await outcomeOf(['suppressions', 'list', '--workspace', 'local', ...flag]));
    t.same(suppressed, { suppressions: [], next_cursor: null });

    const beside = start(NODE, [LOCAL, data, '--internet']);
    t.equal(await beside.ended, 1, 'a second one does not start, and says where the first is');
    t.match(beside.lines.join('\n'), `Postroom runs already, at ${http}, with its data in ${data}.\n--internet is for`);
    const [printed = ''] = beside.lines.filter((line) => line.includes('/console/sign-in/'));
    t.equal(new URL(printed.trim()).origin, http, 'it changes nothing, and prints a link');
    t.equal((await fetch(printed.trim(), { headers: { 'sec-fetch-site': 'none' } })).status, 200);
    t.equal((await read(http, agents[0]?.key)).status, 200, 'the keys of the first hold');
    const further = documentOf(await outcomeOf(['owners', 'sign-in-link', 'owner@localhost', ...flag]));
    t.equal(new URL(String(further.url)).origin, http, 'the CLI names the port that was taken');
    first.process.kill('SIGINT');
    t.equal(await first.ended, 0);

    const path = join(data, 'postroom.toml');
    const own = `${readFileSync(path, 'utf8')}\n[signup]\nmax_unclaimed = 7\n`.replace(
      /^hostname = .*$/m,
      'hostname = "mx.other.localhost"',
    );
    writeFileSync(path, own);
    const again = start(NODE, [LOCAL, data, '--internet']);
    t.teardown(() => again.process.kill('SIGKILL'));
    const next = await welcomeOf(again);
    t.same(next.agents, agents, 'what a client was given goes on working');
    t.equal((await read(next.http, agents[0]?.key)).status, 200);
    t.equal(statSync(join(data, 'agent-keys.json')).mode & 0o777, 0o600);
    t.match(readFileSync(path, 'utf8'), 'local_only = false # of this run');
    const withoutRun = (text: string) => text.replace(/^.* # of this run$/gm, '');
    t.equal(withoutRun(readFileSync(path, 'utf8')), withoutRun(own), 'what the user has written into it stays');
    again.process.kill('SIGTERM');
    t.equal(await again.ended, 0);

    rmSync(join(data, 'agent-keys.json'));
    const third = start(NODE, [LOCAL, data]);
    t.teardown(() => third.process.kill('SIGKILL'));
    const renewed = await welcomeOf(third);
    t.equal(
      (await read(renewed.http, agents[0]?.key)).status,
      401,
      'a lost file makes new keys, and ends the old ones',
    );
    t.equal((await read(renewed.http, renewed.agents[0]?.key)).status, 200);
    const listed = await outcomeOf(['keys', 'list', 'alice', ...flag]);
    t.match(documentOf(listed), {
      keys: [
        { name: 'default', revoked_at: null },
        { name: 'default', revoked_at: String },
      ],
    });
    third.process.kill('SIGTERM');
    t.equal(await third.ended, 0);
  },
);

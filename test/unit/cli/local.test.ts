import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readKeyFile } from '../../../src/seal/key-file.ts';
import { CHECKOUT, documentOf, postroom, type Running, start } from './postroom.ts';

const NODE = join(CHECKOUT, 'node_modules/.bin/node');
const LOCAL = join(CHECKOUT, 'scripts/local.ts');

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
  return { agents, curls, http };
};

const read = async (http: string, key: string | undefined) => {
  const response = await fetch(`${http}/v1/messages`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as { messages?: { subject: string }[] } };
};

t.test('two agents that can write to each other; a second run keeps them and replaces their keys', async (t) => {
  const data = t.testdir();
  const first = start(NODE, [LOCAL, data]);
  t.teardown(() => first.process.kill('SIGKILL'));
  const { agents, curls, http } = await welcomeOf(first);
  t.match(agents, [{ address: 'alice@local.agents.localhost' }, { address: 'bob@local.agents.localhost' }]);
  t.equal(curls.length, 2);
  t.equal(readKeyFile(join(data, 'vault.key')).length, 32);

  const beside = start(NODE, [LOCAL, data]);
  t.equal(await beside.ended, 1, 'a second one beside it changes nothing');
  t.equal((await read(http, agents[0]?.key)).status, 200, 'the keys of the first hold');
  first.process.kill('SIGINT');
  t.equal(await first.ended, 0);

  const config = readFileSync(join(data, 'postroom.toml'), 'utf8');
  const again = start(NODE, [LOCAL, data]);
  t.teardown(() => again.process.kill('SIGKILL'));
  const next = await welcomeOf(again);
  t.same(
    next.agents.map(({ address }) => address),
    agents.map(({ address }) => address),
  );
  t.equal((await read(next.http, agents[0]?.key)).status, 401, 'the last key is replaced');
  t.equal((await read(next.http, next.agents[0]?.key)).status, 200);
  t.equal(readFileSync(join(data, 'postroom.toml'), 'utf8'), config, 'the config is left alone');
  const listed = await postroom(['keys', 'list', 'alice', '--json', '--config', join(data, 'postroom.toml')]);
  t.match(documentOf(listed), {
    keys: [
      { name: 'default', revoked_at: null },
      { name: 'default', revoked_at: String },
    ],
  });
  again.process.kill('SIGTERM');
  t.equal(await again.ended, 0);
});

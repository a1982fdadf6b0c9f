/** What commands say: lists have ids, a grant names the workspaces, and what replaces data takes --yes. */

import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { addSecret } from '../../harness/operator.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';

const instance = await startInstance();
t.teardown(() => instance[Symbol.asyncDispose]());
const { configPath } = instance;

t.test('a secret is granted within its workspace, and another’s agent is told as such', async (t) => {
  await addSecret(instance, 'Portal', 'api_key', { key: 'a-long-api-key-of-old' });
  const other = await instance.addWorkspace('Elsewhere');
  await instance.addAgent('zoe', other);
  const refused = await runCli(configPath, 'secrets', 'grant', 'Portal', 'zoe');
  t.match(refused, { code: 1, stderr: /zoe is an agent of the workspace elsewhere, and the secret is of acme/ });
  t.match(await runCli(configPath, 'secrets', 'grant', 'Portal', 'noone'), { stderr: /No agent is called noone/ });
  t.equal((await runCli(configPath, 'secrets', 'grant', 'Portal', 'ann')).code, 0);
});

t.test('pending list has ids as queue list has', async (t) => {
  t.equal((await runCli(configPath, 'agents', 'hold', 'ann')).code, 0);
  const { ann } = instance.agents;
  const held = await instance.client(ann).messages.send({ to: ['a@remote.test'], subject: 'Hi', body: 'Hi' });
  t.match(await cliJson(configPath, 'pending', 'list'), {
    pending: [{ id: held.pendingId, pending_id: held.pendingId }],
  });
});

t.test('ready is of its own instance, not of another that has its port', async (t) => {
  t.match(await runCli(configPath, 'ready'), { code: 0, stdout: 'The daemon is ready.\n' });
  const other = `${instance.directory}/other.toml`;
  writeFileSync(other, readFileSync(configPath, 'utf8').replace(/^data_dir = .*$/m, 'data_dir = "elsewhere"'));
  const asked = await runCli(other, 'ready');
  t.match(asked, { code: 69, stdout: '' });
  t.ok(asked.stderr.includes(`another instance answers there, with its data in ${instance.config.data_dir}`));
  t.notMatch(
    await (await fetch(new URL('/readyz', instance.baseUrl))).text(),
    'data_dir',
    'not on the public listener',
  );
});

ofSqlite(t, 'a backup is made of the file')('restore and rotate-key take --yes', async (t) => {
  t.equal((await runCli(configPath, 'vault', 'rotate-key', '--yes')).code, 0);
  await instance.daemon.stop();
  const file = `${instance.directory}/whole.backup`;
  t.equal((await runCli(configPath, 'backup', file)).code, 0);
  t.equal((await runCli(configPath, 'restore', file, '--replace', '--yes')).code, 0);
  await instance.restart();
});

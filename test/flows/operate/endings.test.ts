/** A backup from before knows keys, connections and sessions as live that have ended since: its restore lets none of them in. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { callTool } from '../../harness/mcp/current-request.ts';
import { connect, refresh, signIn } from '../../harness/oauth/oauth-client.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';

const ofFile = ofSqlite(t, 'the list of what ended is beside the file');

const ANN_ALONE = { scopes: ['mail:read', 'offline_access'], agents: ['ann'] };

const statusFor = async (instance: TestInstance, key: string): Promise<number> =>
  (await callTool(instance, key, 'whoami', {})).status;

ofFile('what ended after a backup stays ended when it is restored', async (t) => {
  await using instance = await startInstance();
  const { configPath, agents } = instance;
  const cli = (...args: string[]) => cliJson(configPath, ...args);
  const elsewhere = await instance.addWorkspace('Elsewhere', true);
  const carol = await instance.addAgent('carol');
  const dora = await instance.addAgent('dora', elsewhere);
  const second = (await cli('keys', 'add', 'ann')) as unknown as { id: string; key: string };
  const person = await signIn(instance);
  const [kept, ended] = [
    await connect(instance, { person, decision: ANN_ALONE }),
    await connect(instance, { person, decision: ANN_ALONE }),
  ];
  const ways = {
    kept: agents.bob.key,
    keptConnection: kept.accessToken,
    revoked: second.key,
    agentRemoved: carol.key,
    workspaceRemoved: dora.key,
    connectionEnded: ended.accessToken,
  };
  const statuses = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(ways).map(async ([name, key]) => [name, await statusFor(instance, key)] as const),
      ),
    );
  const all = {
    kept: 200,
    keptConnection: 200,
    revoked: 200,
    agentRemoved: 200,
    workspaceRemoved: 200,
    connectionEnded: 200,
  };
  t.same(await statuses(), all);
  const browser = await signInOwner(instance);
  t.equal((await browser.call('session/get')).status, 200);

  const file = join(instance.directory, 'backup.zst');
  await cli('backup', file);
  await cli('keys', 'revoke', second.id, '--yes');
  await cli('agents', 'remove', 'carol', '--yes');
  await cli('workspaces', 'remove', 'elsewhere', '--yes');
  const { connections } = (await cli('connections', 'list')) as unknown as {
    connections: { id: string; client_name: string }[];
  };
  await cli('connections', 'revoke', connections[0]?.id ?? '', '--yes');
  const after = { ...(await statuses()) };
  t.match(after, { kept: 200, revoked: 401, agentRemoved: 401, workspaceRemoved: 401, connectionEnded: 401 });

  await instance.daemon.stop();
  await cli('restore', file, '--replace', '--yes');
  await instance.restart();
  t.same(await statuses(), after);
  t.equal((await refresh(instance, ended.clientId, ended.refreshToken)).status, 400, 'nor is it renewed');
  t.equal((await browser.call('session/get')).status, 401, 'and a person signs in anew');
});

ofFile('the list counts where the data is lost or damaged', async (t) => {
  await using instance = await startInstance();
  const cli = (...args: string[]) => cliJson(instance.configPath, ...args);
  const second = (await cli('keys', 'add', 'ann')) as unknown as { id: string; key: string };
  const file = join(instance.directory, 'backup.zst');
  await cli('backup', file);
  await cli('keys', 'revoke', second.id, '--yes');
  await instance.daemon.stop();
  writeFileSync(dataFileOf(instance.config), 'no database');
  await cli('restore', file, '--replace', '--yes');
  await instance.restart();
  t.same([await statusFor(instance, second.key), await statusFor(instance, instance.agents.ann.key)], [401, 200]);
});

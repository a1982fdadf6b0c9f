import { hostname } from 'node:os';
import t from 'tap';
import { readVersion } from '../../../src/kernel/files/version.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';

ofSqlite(t, 'a file has one box')(
  'data in a file has one box, where its daemon runs, and none that takes over',
  async (t) => {
    await using instance = await startInstance();
    t.match(await cliJson(instance.configPath, 'box', 'list'), [
      {
        name: hostname(),
        state: 'leading',
        since: /^\d{4}-/,
        silent_seconds: 0,
        version: readVersion(),
        address: null,
      },
    ]);
    const { code, stderr } = await runCli(instance.configPath, 'box', 'drain');
    t.equal(code, 1);
    t.match(stderr, 'The data is in a file, which has one box');
    await instance.daemon.stop();
    t.same(await cliJson(instance.configPath, 'box', 'list'), []);
    t.match((await runCli(instance.configPath, 'box', 'list')).stdout, 'No daemon runs.');
  },
);

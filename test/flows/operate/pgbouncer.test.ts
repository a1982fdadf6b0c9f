/** A pooler between the daemon and PostgreSQL: one that keeps sessions works, one that shares them is refused. */

import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { startDaemon } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config-text.ts';
import { runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { startPgbouncer } from '../../harness/postgres/pgbouncer.ts';
import { startPostgres } from '../../harness/postgres/postgres-server.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

t.test('in session mode all works, and one daemon alone', async (t) => {
  await using server = await startPostgres();
  await using pooler = await startPgbouncer(server, 'session');
  await using instance = await startInstance({ storageUrl: pooler.url });
  const { ann } = instance.agents;
  t.match(await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: 'By a pooler' } }), /^250/);
  const api = instance.client(ann);
  t.ok(await eventually(async () => (await api.search.search({ q: 'pooler' })).hits.length === 1));
  await t.rejects(startDaemon({ ...instance.config, data_dir: t.testdir({}) }, silent), { name: 'LockedError' });
  t.match(await runCli(instance.configPath, 'doctor'), { stdout: /PostgreSQL \d+/ });
  t.same(instance.faults, []);
});

t.test('in transaction mode no daemon starts, and doctor tells why', async (t) => {
  await using server = await startPostgres();
  await using instance = await startInstance({ storageUrl: server.url });
  await instance.daemon.stop();
  await using pooler = await startPgbouncer(server, 'transaction');
  const { configPath } = instance;
  const text = readFileSync(configPath, 'utf8').replace(server.url, pooler.url);
  writeFileSync(configPath, text);
  await t.rejects(startDaemon(parseConfig(text, configPath), silent), {
    name: 'ServerError',
    message: /transaction mode: .* pool_mode = session/,
  });
  t.match(await runCli(configPath, 'doctor'), { code: 1, stdout: /pool_mode = session/ });
});

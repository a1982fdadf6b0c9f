import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const modes = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
  );

ofSqlite(t, 'the file has a mode')(
  'the data file and those beside it are the daemon user’s alone, whatever the umask and their mode before',
  async (t) => {
    const umask = process.umask(0o000);
    t.teardown(() => process.umask(umask));
    await using instance = await startInstance();
    const directory = instance.config.data_dir;
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] });
    t.match(modes(directory), { 'postroom.db': '600', 'postroom.db-wal': '600', 'postroom.db-shm': '600' });
    t.same(
      Object.entries(modes(directory)).filter(([name, mode]) => mode !== (name === 'log' ? '700' : '600')),
      [],
    );
    t.notMatch(instance.warned, [{ message: /data directory/ }]);

    writeFileSync(join(directory, 'postroom.db.before-0001'), 'an earlier backup');
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    chmodSync(directory, 0o755);
    await instance.restart();
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] });
    t.same(
      Object.entries(modes(directory)).filter(([name, mode]) => mode !== (name === 'log' ? '700' : '600')),
      [],
    );
    t.match(
      instance.warned.find(({ message }) => /data directory/.test(message)),
      { fields: { mode: '0755', fix: `chmod 700 ${directory}` } },
    );
  },
);

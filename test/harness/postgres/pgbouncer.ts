/** PgBouncer as Debian has it, on a socket in a folder of its own, in front of a server of tests. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../smtp/send-mail.ts';
import { findRunner, type PostgresServer } from './postgres-server.ts';

const PORT = 6432;

export interface Pgbouncer extends AsyncDisposable {
  readonly url: string;
}

export const startPgbouncer = async ({ url }: PostgresServer, mode: 'session' | 'transaction'): Promise<Pgbouncer> => {
  const runner = findRunner();
  const directory = mkdtempSync(join(tmpdir(), 'postroom-pgb-'));
  const { uid, gid } = runner;
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  const [users, config] = [join(directory, 'users.txt'), join(directory, 'pgbouncer.ini')];
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    config,
    `[databases]
* = host=${new URL(url).searchParams.get('host')}
[pgbouncer]
unix_socket_dir = ${directory}
listen_port = ${PORT}
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits
`,
  );
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn('pgbouncer', ['-q', config], { ...runner, env, cwd: directory, stdio: 'ignore' });
  const closed = once(child, 'close');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start; ${config} is its config.`);
    return existsSync(join(directory, `.s.PGSQL.${PORT}`));
  });
  return {
    url: `postgres:///postgres?host=${encodeURIComponent(directory)}&port=${PORT}&user=postgres`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** HAProxy as Debian has it, in front of a port on loopback, with the client's address in a PROXY header of version 2. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isFree } from '../net/free-port.ts';
import { eventually } from './send-mail.ts';

export interface Haproxy extends AsyncDisposable {
  readonly port: number;
}

const config = (port: number, behind: number): string => `defaults
  mode tcp
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend clients
  bind 127.0.0.1:${port}
  default_backend box
backend box
  server box 127.0.0.1:${behind} send-proxy-v2 proxy-v2-options crc32c,unique-id
`;

export const startHaproxy = async (behind: number): Promise<Haproxy> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-haproxy-'));
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, config(port, behind));
  const child = spawn('haproxy', ['-db', '-q', '-f', file], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const closed = once(child, 'close');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy did not start; ${file} is its config.`);
    return !(await isFree(port));
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

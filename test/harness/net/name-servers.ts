/** NSD and unbound as Debian has them, on loopback: a parent zone that delegates, and a resolver that follows it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dig } from './dig.ts';

const READY_WITHIN_MS = 15_000;
const POLL_MS = 50;

export interface NameServer extends AsyncDisposable {
  /** As `127.0.0.1:5353`. */
  readonly server: string;
}

interface Program {
  command: string;
  args: string[];
  address: string;
  port: number;
  directory: string;
  /** A question that it answers once it is up. */
  probe: string[];
}

const running = async ({ command, args, address, port, directory, probe }: Program): Promise<NameServer> => {
  const server = `${address}:${port}`;
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const failed = once(child, 'error').then(
    ([error]) => Promise.reject(error),
    () => undefined,
  );
  failed.catch(() => undefined);
  const end = performance.now() + READY_WITHIN_MS;
  while ((await dig(server, ...probe)).status === null) {
    if (performance.now() > end || child.exitCode !== null) {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
      throw new Error(`${command} did not start; scripts/test-deps installs it. ${said}`);
    }
    await sleep(POLL_MS);
  }
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** NSD with one zone. @param records lines of its zone file */
export const startNsd = (
  zone: string,
  records: readonly string[],
  address: string,
  port: number,
): Promise<NameServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-nsd-'));
  const config = join(directory, 'nsd.conf');
  writeFileSync(
    config,
    `server:
  ip-address: ${address}@${port}
  username: ""
  chroot: ""
  zonesdir: "${directory}"
  pidfile: "${directory}/nsd.pid"
  zonelistfile: "${directory}/zone.list"
  xfrdfile: "${directory}/xfrd.state"
  xfrdir: "${directory}"
  database: ""
  server-count: 1
remote-control:
  control-enable: no
zone:
  name: "${zone}"
  zonefile: "${directory}/zone"
`,
  );
  const soa = `${zone}. 60 IN SOA ns.${zone}. hostmaster.${zone}. 1 3600 600 604800 60`;
  const own = [soa, `${zone}. 60 IN NS ns.${zone}.`, `ns.${zone}. 60 IN A ${address}`];
  writeFileSync(join(directory, 'zone'), `${[...own, ...records].join('\n')}\n`);
  const probe = ['+norecurse', zone, 'SOA'];
  return running({ command: 'nsd', args: ['-d', '-c', config], address, port, directory, probe });
};

/** unbound, which asks `server` about `zone` and what is under it, and follows what is delegated from there. */
export const startUnbound = (zone: string, server: string, port: number): Promise<NameServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-unbound-'));
  const config = join(directory, 'unbound.conf');
  writeFileSync(
    config,
    `server:
  interface: 127.0.0.1
  port: ${port}
  username: ""
  chroot: ""
  directory: "${directory}"
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  do-not-query-localhost: no
  do-ip6: no
  use-caps-for-id: yes
  module-config: "iterator"
  local-zone: "test." nodefault
stub-zone:
  name: "${zone}"
  stub-addr: ${server.replace(':', '@')}
`,
  );
  const probe = ['probe.invalid', 'A'];
  return running({ command: 'unbound', args: ['-d', '-c', config], address: '127.0.0.1', port, directory, probe });
};

/**
 * Postfix as Debian has it, a private instance in a directory of its own: its defaults, delivery to a Maildir by
 * virtual(8), and none of the machine's configuration.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/harness/free-port.ts';
import type { Contestant } from './contestant.ts';
import { familyCpuSeconds } from './process-usage.ts';

const HOSTNAME = 'mx.postfix.test';
const POLL_MS = 20;
const DELIVERED_WITHIN_MS = 120_000;

const userId = (name: string): number => Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }));

const mainConfig = (directory: string, domain: string, owner: number): string => `compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
inet_interfaces = 127.0.0.1
myhostname = ${HOSTNAME}
mydestination =
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${directory}/mail
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:${owner}
virtual_gid_maps = static:${owner}
`;

/** Debian's master.cf, without the services that take no part and without chroot. */
const services = (port: number): string => `127.0.0.1:${port} inet n - n - - smtpd
cleanup  unix n - n - 0 cleanup
qmgr     unix n - n 300 1 qmgr
rewrite  unix - - n - - trivial-rewrite
bounce   unix - - n - 0 bounce
defer    unix - - n - 0 bounce
trace    unix - - n - 0 bounce
proxymap unix - - n - - proxymap
anvil    unix - - n - 1 anvil
error    unix - - n - - error
retry    unix - - n - - error
virtual  unix - n n - - virtual
`;

const hasEnded = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** @param domain whose mail it takes, whatever the local part */
export const startPostfix = async (domain: string): Promise<Contestant> => {
  if (process.getuid?.() !== 0) throw new Error('Postfix only starts as root. Without it: --only postroom');
  const directory = mkdtempSync(join(tmpdir(), 'postroom-bench-postfix-'));
  const [config, mail] = [join(directory, 'etc'), join(directory, 'mail')];
  const maildir = join(mail, 'box', 'new');
  const owner = userId('nobody');
  // Its processes drop root, and have to pass here.
  chmodSync(directory, 0o755);
  for (const name of ['etc', 'queue', 'data', 'mail']) mkdirSync(join(directory, name));
  chownSync(join(directory, 'data'), userId('postfix'), 0);
  chownSync(mail, owner, owner);
  const port = await freePort();
  writeFileSync(join(config, 'main.cf'), mainConfig(directory, domain, owner));
  writeFileSync(join(config, 'master.cf'), services(port));
  const postfix = (command: string) =>
    execFileSync('postfix', ['-c', config, command], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
  try {
    postfix('start');
  } catch (cause) {
    rmSync(directory, { recursive: true, force: true });
    throw new Error('Postfix did not start; scripts/test-deps installs it.', { cause });
  }
  const master = Number(readFileSync(join(directory, 'queue/pid/master.pid'), 'utf8'));

  const arrived = (): string[] => {
    try {
      return readdirSync(maildir);
    } catch {
      // Made with the first delivery.
      return [];
    }
  };
  return {
    name: 'postfix',
    port,
    delivered: async (messages, _marker, signal) => {
      const end = performance.now() + DELIVERED_WITHIN_MS;
      while (arrived().length < messages) {
        if (performance.now() > end) throw new Error(`Postfix delivered ${arrived().length} of ${messages} mails.`);
        await sleep(POLL_MS, undefined, { signal });
      }
    },
    tidy: () => {
      for (const name of arrived()) rmSync(join(maildir, name));
    },
    cpuSeconds: () => familyCpuSeconds(master),
    peakMebibytes: () => null,
    [Symbol.asyncDispose]: async () => {
      // The master takes its children with it.
      process.kill(master, 'SIGTERM');
      const end = performance.now() + DELIVERED_WITHIN_MS;
      while (!hasEnded(master) && performance.now() < end) await sleep(POLL_MS);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

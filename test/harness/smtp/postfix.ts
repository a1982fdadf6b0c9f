/** Postfix as Debian has it: a private instance in a directory of its own, with none of the machine's configuration. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../net/free-port.ts';

export const POSTFIX_HOSTNAME = 'mx.postfix.test';
const ENDS_WITHIN_MS = 30_000;
const POLL_MS = 20;

export interface PostfixOptions {
  /** Left out, a free one. */
  readonly port?: number;
  /** Domains whose mail it keeps, whatever the local part, in one Maildir. */
  readonly domains?: readonly string[];
  /** A host on loopback that everything else goes to. */
  readonly relayPort?: number;
  /** The address of that host; left out, 127.0.0.1, whose port 25 Postfix takes for its own. */
  readonly relayAddress?: string;
  /** A milter on loopback that sees all mail. */
  readonly milterPort?: number;
}

export interface Postfix extends AsyncDisposable {
  readonly port: number;
  readonly masterPid: number;
  /** Files of the mails that have arrived, oldest first. */
  arrived(): string[];
  /** Mails that are still in its queue. */
  queued(): number;
}

const userId = (name: string): number => Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }));

const mainConfig = (directory: string, options: PostfixOptions, owner: number): string => `compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = ${POSTFIX_HOSTNAME}
mydestination =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = ${options.domains?.join(' ') ?? ''}
virtual_mailbox_base = ${directory}/mail
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:${owner}
virtual_gid_maps = static:${owner}
${options.relayPort === undefined ? '' : `relayhost = [${options.relayAddress ?? '127.0.0.1'}]:${options.relayPort}\n`}${
  options.milterPort === undefined
    ? ''
    : `smtpd_milters = inet:127.0.0.1:${options.milterPort}\nmilter_default_action = tempfail\n`
}`;

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
scache   unix - - n - 1 scache
smtp     unix - - n - - smtp
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

/** Empty while it is not there. */
const filesBelow = (directory: string): string[] => {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return [];
  }
};

/** @throws {Error} with what it said, where it does not start */
const launch = (config: string): void => {
  const said = join(config, 'said');
  const output = openSync(said, 'w');
  try {
    execFileSync('postfix', ['-c', config, 'start'], {
      stdio: ['ignore', output, output],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
  } catch (cause) {
    const why = `${cause}\n${readFileSync(said, 'utf8')}`;
    throw new Error(`Postfix did not start; scripts/test-deps installs it.\n${why}`, { cause });
  } finally {
    closeSync(output);
  }
};

export const startPostfix = async (options: PostfixOptions): Promise<Postfix> => {
  if (process.getuid?.() !== 0) throw new Error('Postfix only starts as root.');
  const directory = mkdtempSync(join(tmpdir(), 'postroom-postfix-'));
  const [config, mail, queue] = [join(directory, 'etc'), join(directory, 'mail'), join(directory, 'queue')];
  const owner = userId('nobody');
  for (const name of [config, queue, join(directory, 'data'), mail]) mkdirSync(name);
  // Its processes drop root, and have to pass here. A daemon that ran in this process has set a umask that forbids it.
  for (const name of [directory, queue]) chmodSync(name, 0o755);
  chownSync(join(directory, 'data'), userId('postfix'), 0);
  chownSync(mail, owner, owner);
  const port = options.port ?? (await freePort());
  writeFileSync(join(config, 'main.cf'), mainConfig(directory, options, owner));
  writeFileSync(join(config, 'master.cf'), services(port));
  // Postfix waits until a file has not changed for two seconds.
  for (const name of ['main.cf', 'master.cf']) utimesSync(join(config, name), 0, 0);
  try {
    launch(config);
  } catch (cause) {
    rmSync(directory, { recursive: true, force: true });
    throw cause;
  }
  const masterPid = Number(readFileSync(join(directory, 'queue/pid/master.pid'), 'utf8'));
  return {
    port,
    masterPid,
    arrived: () => filesBelow(join(mail, 'box', 'new')),
    queued: () =>
      ['maildrop', 'incoming', 'active', 'deferred'].flatMap((name) => filesBelow(join(directory, 'queue', name)))
        .length,
    [Symbol.asyncDispose]: async () => {
      // The master takes its children with it.
      process.kill(masterPid, 'SIGTERM');
      const end = performance.now() + ENDS_WITHIN_MS;
      while (!hasEnded(masterPid) && performance.now() < end) await sleep(POLL_MS);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

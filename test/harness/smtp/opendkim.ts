/** OpenDKIM as Debian has it, as a milter on loopback: it signs, or checks signatures against records that it is given. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../net/free-port.ts';

const READY_WITHIN_MS = 10_000;
const POLL_MS = 20;

export interface OpendkimSigning {
  readonly domain: string;
  readonly selector: string;
  /** PEM, PKCS#1 or PKCS#8. */
  readonly privateKey: string;
}

export interface Opendkim extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

/** @param records TXT records by name, in place of DNS */
export type OpendkimRole = { readonly sign: OpendkimSigning } | { readonly verify: Readonly<Record<string, string>> };

const isListening = async (port: number): Promise<boolean> => {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const configOf = (directory: string, role: OpendkimRole): string => {
  if ('verify' in role) {
    const records = join(directory, 'records');
    const lines = Object.entries(role.verify).map(([name, text]) => `${name} ${text}\n`);
    writeFileSync(records, lines.join(''));
    return `Mode v\nTestDNSData file:${records}\nAlwaysAddARHeader yes\n`;
  }
  const { domain, selector, privateKey } = role.sign;
  const key = join(directory, 'key.pem');
  writeFileSync(key, privateKey, { mode: 0o600 });
  return `Mode s\nDomain ${domain}\nSelector ${selector}\nKeyFile ${key}\nCanonicalization relaxed/relaxed\n`;
};

export const startOpendkim = async (role: OpendkimRole): Promise<Opendkim> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-opendkim-'));
  const port = await freePort();
  const file = join(directory, 'opendkim.conf');
  writeFileSync(
    file,
    `Socket inet:${port}@127.0.0.1\nBackground no\nRequireSafeKeys no\nInternalHosts 127.0.0.1/32\n${configOf(directory, role)}`,
  );
  const program = execFileSync('which', ['opendkim'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  }).trim();
  const child: ChildProcess = spawn(program, ['-x', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await isListening(port))) {
    if (performance.now() > end || child.exitCode !== null) {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
      throw new Error(`OpenDKIM did not start: ${complaint}`);
    }
    await sleep(POLL_MS);
  }
  return {
    port,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

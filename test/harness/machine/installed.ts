/** A machine that a release is unpacked on, and what is asked of the installed one. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { eventually, sendMail } from '../smtp/send-mail.ts';
import type { Machine, Ran } from './machine.ts';

export const HOSTNAME = 'mx.example.test';
export const NAMES = ['--hostname', HOSTNAME, '--base-domain', 'agents.example.test', '--owner', 'you@remote.test'];

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

export interface Server {
  /** The folder of the unpacked versions, as a folder here: /srv there. */
  readonly versions: string;
  /** A path of the machine, as one here. Absolute links within it are the machine's. */
  inside(path: string): string;
  install(version: string, ...args: string[]): Promise<Ran>;
  postroom(...args: string[]): Promise<Record<string, string>>;
  /** Asks the API over HTTPS. No authority has signed its certificate yet. */
  api(key: string, method: string, path: string, body?: unknown): Promise<Reply>;
  subjects(key: string): Promise<string[]>;
  /** Sends a mail to the machine's address `host`, and waits until it is listed. */
  mailIn(key: string, address: string, host: string, subject: string): Promise<void>;
  /** The version that runs. */
  current(): string;
  pid(): Promise<string>;
  ownerOf(path: string): Promise<number>;
}

const ASK_MS = 10_000;

const ask = async (address: string, key: string, method: string, path: string, body?: unknown): Promise<Reply> => {
  const headers = { host: HOSTNAME, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const options = { host: address, path, method, headers, servername: HOSTNAME, rejectUnauthorized: false };
  const asked = request({ ...options, agent: false, signal: AbortSignal.timeout(ASK_MS) });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, body: (await json(reply)) as Reply['body'] };
};

/** @param release a tarball, or its tree: /srv/released */
export const serverOn = (machine: Machine, release: string): Server => {
  const inside = (path: string): string => join(machine.root, path);
  const versions = inside('/srv');
  mkdirSync(join(versions, 'released'), { recursive: true });
  const unpack = statSync(release).isDirectory() ? `cp -a "$0/." "$1"` : `tar xf "$0" --strip-components=1 -C "$1"`;
  execFileSync('sh', ['-c', unpack, release, join(versions, 'released')]);
  const api: Server['api'] = (...asked) => ask(machine.ipv4, ...asked);
  const subjects = async (key: string): Promise<string[]> => {
    const { body } = await api(key, 'GET', '/v1/messages');
    return (body.messages as { subject: string }[]).map(({ subject }) => subject).sort();
  };
  return {
    versions,
    inside,
    api,
    subjects,
    install: (version, ...args) => machine.run(['./install.sh', ...args], { cwd: `/srv/${version}` }),
    postroom: async (...args) => JSON.parse(await machine.do('postroom', ...args, '--json')),
    mailIn: async (key, address, host, subject) => {
      await sendMail(25, { host, to: [address], headers: { Subject: subject, To: address } });
      await eventually(async () => (await subjects(key)).includes(subject) || null, 30_000);
    },
    current: () => {
      const link = execFileSync('readlink', [inside('/opt/postroom/current')], { encoding: 'utf8' }).trim();
      const text = readFileSync(inside(`/opt/postroom/releases/${basename(link)}/package.json`), 'utf8');
      return /"version": "(.+)"/.exec(text)?.[1] ?? '';
    },
    pid: async () => (await machine.do('systemctl', 'show', '-p', 'MainPID', '--value', 'postroom')).trim(),
    ownerOf: async (path) => Number(await machine.do('stat', '-L', '-c', '%u', path)),
  };
};

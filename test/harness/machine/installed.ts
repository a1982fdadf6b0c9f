/** A machine that a release is unpacked on, and what is asked of the installed one. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  /** Asks the API as a program on the machine does: its certificate is nobody's yet. */
  api(key: string, method: string, path: string, body?: unknown): Promise<Reply>;
  subjects(key: string): Promise<string[]>;
  /** Sends a mail to the machine's address `host`, and waits until it is listed. */
  mailIn(key: string, address: string, host: string, subject: string): Promise<void>;
  /** The version that runs. */
  current(): string;
  pid(): Promise<string>;
  ownerOf(path: string): Promise<number>;
}

const ASK = `
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0;
  const [key, method, path, body] = process.argv.slice(1);
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  fetch('https://localhost' + path, { method, headers, ...(body && { body }) })
    .then(async (reply) => console.log(JSON.stringify({ status: reply.status, body: await reply.json() })));`;

/** @param tarball unpacked as /srv/released */
export const serverOn = (machine: Machine, tarball: string): Server => {
  const inside = (path: string): string => join(machine.root, path);
  const versions = inside('/srv');
  mkdirSync(join(versions, 'released'), { recursive: true });
  execFileSync('tar', ['xf', tarball, '--strip-components=1', '-C', join(versions, 'released')]);
  const api = async (key: string, method: string, path: string, body?: unknown): Promise<Reply> => {
    const node = '/opt/postroom/current/node_modules/.bin/node';
    const text = body === undefined ? [] : [JSON.stringify(body)];
    return JSON.parse(await machine.do(node, '--no-warnings', '-e', ASK, key, method, path, ...text));
  };
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
      await eventually(async () => (await subjects(key)).includes(subject) || null, 30_000, 300);
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

/** dig (BIND), as Debian has it: a resolver's and an operator's view of a name server. */

import { execFile } from 'node:child_process';

export interface DigAnswer {
  /** `NOERROR`, `NXDOMAIN`; null: no answer. */
  readonly status: string | null;
  readonly flags: string[];
  /** Records of the answer and authority sections, as dig prints them, blanks folded. */
  readonly answer: string[];
  readonly authority: string[];
  readonly additional: string[];
  /** All that dig said. */
  readonly text: string;
}

const sectionOf = (text: string, name: string): string[] => {
  const [, section = ''] = new RegExp(`;; ${name} SECTION:\\n([\\s\\S]*?)(?:\\n\\n|\\n;;|$)`).exec(text) ?? [];
  return section
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.replace(/\s+/g, ' '));
};

export const runDig = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile('dig', args, { timeout: 30_000 }, (_error, stdout) => resolve(stdout));
  });

/** @param server as `127.0.0.1:5353` */
export const dig = async (server: string, ...args: string[]): Promise<DigAnswer> => {
  const [host, port] = server.split(':');
  const text = await runDig(`@${host}`, '-p', `${port}`, '+tries=1', '+time=5', ...args);
  return {
    status: /status: ([A-Z]+)/.exec(text)?.[1] ?? null,
    flags: /;; flags: ([a-z ]*);/.exec(text)?.[1]?.split(' ') ?? [],
    answer: sectionOf(text, 'ANSWER'),
    authority: sectionOf(text, 'AUTHORITY'),
    additional: sectionOf(text, 'ADDITIONAL'),
    text,
  };
};

/** The values of a name's records, as zone files have them. */
export const digShort = async (server: string, name: string, type: string): Promise<string[]> => {
  const [host, port] = server.split(':');
  const text = await runDig(`@${host}`, '-p', `${port}`, '+short', '+tries=1', '+time=5', name, type);
  return text.split('\n').filter((line) => line !== '');
};

/** The client of the HTTP bench: wrk, which is not the bottleneck where the server is JavaScript. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CONNECTIONS = 20;
const execute = promisify(execFile);
const runWrk = (args: readonly string[], signal: AbortSignal) =>
  execute('wrk', args, { signal }).catch((error: Error) => {
    throw 'syscall' in error ? new Error(`${error.message}; scripts/test-deps installs wrk.`) : error;
  });

export interface HttpLoad {
  readonly url: string;
  readonly seconds: number;
  /** API keys, by turns: each has 300 requests a minute. */
  readonly keys: readonly string[];
  /** Of a POST; left out: a GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What each answer has to have in it. */
  readonly word: string;
}

/** Of an answer's octets under load, at least: an error is shorter. */
const LEAST_SHARE = 0.9;
const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

const octetsOf = (text: string): number => {
  const [, size, unit = ''] = /^([\d.]+)(\w+)$/.exec(text) ?? [];
  return Number(size) * (UNITS[unit] ?? Number.NaN);
};

const quote = (text: string): string => `[==[${text}]==]`;

const script = ({ keys, body, headers = {} }: HttpLoad): string => `
local keys = { ${keys.map(quote).join(', ')} }
local requests, at, seen = {}, 0, 0
init = function()
  for i, key in ipairs(keys) do
    local headers = { ["authorization"] = "Bearer " .. key, ${Object.entries(headers)
      .map(([name, value]) => `[ ${quote(name)} ] = ${quote(value)}`)
      .join(', ')} }
    requests[i] = wrk.format("${body === undefined ? 'GET' : 'POST'}", nil, headers, ${body === undefined ? 'nil' : quote(body)})
  end
end
request = function() at = at % #requests + 1 return requests[at] end`;

/** @returns answers a second; rejects where one was no success */
export const measureHttp = async (load: HttpLoad, signal: AbortSignal): Promise<number> => {
  const { url, keys, body, headers } = load;
  const method = body === undefined ? 'GET' : 'POST';
  /** @returns the answer's octets */
  const look = async (): Promise<number> => {
    const sent = { authorization: `Bearer ${keys[0]}`, ...headers };
    const answer = await fetch(url, { method, headers: sent, body: body ?? null });
    const text = await answer.text();
    if (answer.ok && text.includes(load.word)) return Buffer.byteLength(text);
    throw new Error(`${url}: ${answer.status} ${text.slice(0, 400)}`);
  };
  const octets = await look();
  const directory = mkdtempSync(join(tmpdir(), 'postroom-wrk-'));
  try {
    const file = join(directory, 'load.lua');
    writeFileSync(file, script(load));
    const { stdout } = await runWrk(
      [
        '--threads',
        '1',
        '--connections',
        `${CONNECTIONS}`,
        '--duration',
        `${load.seconds}s`,
        '--script',
        file,
        load.url,
      ],
      signal,
    );
    const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
    if (failed !== undefined) throw new Error(`${failed} requests to ${load.url} failed.`);
    const broken = /^\s*Socket errors:.*$/m.exec(stdout)?.[0];
    if (broken !== undefined) throw new Error(`${load.url}: ${broken.trim()}`);
    const [, answers, read = ''] = /^\s*(\d+) requests in \S+, (\S+) read$/m.exec(stdout) ?? [];
    if (!(octetsOf(read) / Number(answers) >= octets * LEAST_SHARE))
      throw new Error(`${load.url}: ${read} are too little.`);
    await look();
    return Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

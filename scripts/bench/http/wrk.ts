/** The client of the HTTP bench: wrk, which is not the bottleneck where the server is JavaScript. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CONNECTIONS = 20;
const run = promisify(execFile);

export interface HttpLoad {
  readonly url: string;
  readonly seconds: number;
  /** API keys, by turns: each has 300 requests a minute. */
  readonly keys: readonly string[];
  /** Of a POST; left out: a GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

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
  const first = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${keys[0]}`, ...headers },
    body: body ?? null,
  });
  if (!first.ok) throw new Error(`${url}: ${first.status} ${await first.text()}`);
  const directory = mkdtempSync(join(tmpdir(), 'postroom-wrk-'));
  try {
    const file = join(directory, 'load.lua');
    writeFileSync(file, script(load));
    const { stdout } = await run(
      'wrk',
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
      { signal },
    );
    const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
    if (failed !== undefined) throw new Error(`${failed} requests to ${load.url} failed.`);
    return Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

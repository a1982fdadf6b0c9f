/** A tenant that is not attacked: its mail arrives and its calls are answered in time, whatever is done to the others. */

import { setTimeout as delay } from 'node:timers/promises';
import { sendMail } from '../../test/harness/smtp/send-mail.ts';
import type { AgentCaller } from './rest-calls.ts';
import { sendRequest } from './rest-player.ts';
import { HANG_MS } from './smtp-player.ts';

/** A call of a tenant that takes longer is a finding. */
export const SLOW_MS = 5_000;

export interface Canary {
  readonly caller: AgentCaller;
  readonly address: string;
}

const CALLS: readonly (readonly [name: string, method: string, path: string, body?: object])[] = [
  ['identity', 'GET', '/v1/identity'],
  ['list', 'GET', '/v1/messages?limit=5'],
  ['search', 'GET', '/v1/search?q=question'],
  ['send', 'POST', '/v1/messages', { to: ['carol@remote.test'], subject: 'Canary', body: 'Hello.' }],
];

const requestOf = ({ key }: AgentCaller, method: string, path: string, body?: object): Buffer => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${text.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n`;
  return Buffer.from(`${head}${length}\r\n${text}`);
};

/** @returns what was wrong with one round of calls */
export const callAround = async (httpPort: number, { caller }: Canary): Promise<string[]> => {
  const wrong: string[] = [];
  let id = '';
  const call = async (name: string, method: string, path: string, body?: object): Promise<void> => {
    const began = performance.now();
    const answer = await sendRequest(httpPort, requestOf(caller, method, path, body), true);
    const ms = Math.round(performance.now() - began);
    if (name === 'list') id = /"id":"([0-9a-f-]{36})"/.exec(answer.body)?.[1] ?? '';
    if (ms > SLOW_MS) wrong.push(`${name}: over ${SLOW_MS} ms`);
    else if (answer.status === null || answer.status >= 500) wrong.push(`${name}: ${answer.status}`);
  };
  for (const [name, method, path, body] of CALLS) await call(name, method, path, body);
  if (id !== '') await call('read', 'GET', `/v1/messages/${id}`);
  return wrong;
};

/** @returns what was wrong with a plain mail to the tenant; null where it was taken in time */
export const mailAround = async (smtpPort: number, { address }: Canary): Promise<string | null> => {
  const late = new AbortController();
  const sent = sendMail(smtpPort, { to: [address] }).then(
    () => null,
    (error: unknown) => String(error),
  );
  const tooLate = delay(HANG_MS, 'no reply in time', { signal: late.signal }).catch(() => null);
  return await Promise.race([sent, tooLate]).finally(() => late.abort());
};

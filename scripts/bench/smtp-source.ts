/** The client of the mail benches: Postfix's load generator, the same for all contestants. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Load {
  readonly port: number;
  readonly from: string;
  readonly to: string;
  readonly messages: number;
  readonly sessions: number;
  /** Each session sends all its mails over one connection; else each mail has its own. */
  readonly keptConnections: boolean;
  readonly mail: { readonly bytes: number; readonly subject: string } | { readonly file: string };
}

/** No round takes this long; a server that stopped answering would. */
const TIME_OUT_MS = 120_000;

/**
 * Sends the load; resolves once the last mail was accepted. smtp-source ends at the first refusal.
 * @returns seconds
 */
export const sendLoad = async (load: Load, signal: AbortSignal): Promise<number> => {
  const { port, from, to, messages, sessions, keptConnections, mail } = load;
  const content = 'file' in mail ? ['-F', mail.file] : ['-l', `${mail.bytes}`, '-S', mail.subject];
  const counts = ['-s', `${sessions}`, '-m', `${messages}`, ...(keptConnections ? ['-d'] : [])];
  const began = performance.now();
  const client = spawn('smtp-source', [...counts, ...content, '-f', from, '-t', to, `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    timeout: TIME_OUT_MS,
    signal,
  });
  let complaint = '';
  client.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(client, 'close');
  const seconds = (performance.now() - began) / 1000;
  if (code === null) throw new Error(`smtp-source was ended: ${messages} mails took longer than ${TIME_OUT_MS} ms`);
  if (code !== 0) throw new Error(`smtp-source ended with ${code}: ${complaint}`);
  return seconds;
};

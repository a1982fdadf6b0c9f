/** Converts Node's requests and responses to those of the Fetch standard, which the SDK uses. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takeOver } from '../http/take-over.ts';

const JSON_TYPE = 'application/json';

/** Without the body, which is parsed already and passed separately. */
export const toWebRequest = (
  { method, headers, url }: FastifyRequest,
  origin: string,
  signal: AbortSignal,
): Request => {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request(new URL(url, origin), { method, headers: given, signal });
};

/** Writes a stream no faster than the client reads; a disconnect ends it. */
const pump = async (body: ReadableStream<Uint8Array>, raw: ServerResponse): Promise<void> => {
  raw.flushHeaders();
  const reader = body.getReader();
  const onClose = (): void => void reader.cancel().catch(() => undefined);
  raw.once('close', onClose);
  if (raw.destroyed) onClose();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (raw.destroyed) return;
    if (!raw.write(part.value)) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
  }
  raw.removeListener('close', onClose);
  raw.end();
};

/** Sends the answer whole where the SDK has all of it, else as it is made. */
export const sendWebResponse = async (response: Response, reply: FastifyReply): Promise<FastifyReply> => {
  const { status, headers, body } = response;
  // Any answer may contain a secret, a code, or mail.
  reply.code(status).headers(Object.fromEntries(headers)).header('cache-control', 'no-store');
  if (body === null) return reply.send();
  if (headers.get('content-type')?.startsWith(JSON_TYPE)) return reply.send(Buffer.from(await response.arrayBuffer()));
  await pump(body, takeOver(reply));
  return reply;
};

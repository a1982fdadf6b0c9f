/** Converts Node's requests and responses to those of the Fetch standard, which the SDK uses. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { AS_SENT, writePart } from '../http/bodies.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
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
const pump = async (body: ReadableStream<Uint8Array>, reply: FastifyReply): Promise<void> => {
  const raw = takeOver(reply);
  raw.flushHeaders();
  const reader = body.getReader();
  const gone = disconnectSignal(reply);
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  if (gone.aborted) cancel();
  else gone.addEventListener('abort', cancel);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!(await writePart(reply, part.value, gone))) return;
  }
  raw.end();
};

/** Sends the answer whole where the SDK has all of it, else as it is made. */
export const sendWebResponse = async (response: Response, reply: FastifyReply): Promise<FastifyReply> => {
  const { status, headers, body } = response;
  // Any answer may contain a secret, a code, or mail.
  reply.code(status).headers(Object.fromEntries(headers)).header('cache-control', 'no-store');
  if (body === null) return reply.send();
  if (headers.get('content-type')?.startsWith(JSON_TYPE)) return reply.send(Buffer.from(await response.arrayBuffer()));
  reply.headers({ 'cache-control': AS_SENT, 'x-accel-buffering': 'no' });
  await pump(body, reply);
  return reply;
};

/** Node's requests and responses in the form of the Fetch standard, which the SDK speaks. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** The body stays out: it is parsed already, and handed on beside it. */
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

/** Writes the answer as it comes; a client that reads slowly slows its making, one that goes ends it. */
export const sendWebResponse = async ({ status, headers, body }: Response, raw: ServerResponse): Promise<void> => {
  for (const [name, value] of headers) raw.setHeader(name, value);
  // Any answer may have a secret, a code, or mail.
  raw.setHeader('cache-control', 'no-store');
  raw.writeHead(status);
  if (body === null) {
    raw.end();
    return;
  }
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

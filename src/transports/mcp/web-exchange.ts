/** Converts Node's requests and responses to those of the Fetch standard, which the SDK uses. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';

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

/** Writes the answer as it is made, no faster than the client reads; a disconnect ends it. */
export const sendWebResponse = async (response: Response, raw: ServerResponse): Promise<void> => {
  const { status, headers, body } = response;
  for (const [name, value] of headers) raw.setHeader(name, value);
  // Any answer may contain a secret, a code, or mail.
  raw.setHeader('cache-control', 'no-store');
  raw.writeHead(status);
  if (body === null) {
    raw.end();
    return;
  }
  // One write for head and body, because the SDK has all of it.
  if (headers.get('content-type')?.startsWith(JSON_TYPE)) {
    raw.end(Buffer.from(await response.arrayBuffer()));
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

/** Scans messages with rspamd (https://rspamd.com/doc/architecture/protocol.html). */

/** A scanner that exceeds it counts as no result. */
const TIME_OUT_MS = 5_000;
/** A response is a few KB of JSON; a longer one counts as no result. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface ScannedSession {
  ip: string;
  helo: string;
  mailFrom: string;
  recipients: readonly string[];
  iprevName: string | null;
}

export type ScanVerdict = 'PASS' | 'FAIL';

/** Actions against the mail; `greylist` and `no action` count as PASS. */
const FAILING = new Set(['reject', 'add header', 'rewrite subject', 'soft reject', 'quarantine', 'discard']);

const toHeaders = ({ ip, helo, mailFrom, recipients, iprevName }: ScannedSession): Headers => {
  const headers = new Headers({ 'content-type': 'message/rfc822' });
  const add = (name: string, value: string) => headers.append(name, value.replace(/[^\x20-\x7e]/g, '?'));
  add('ip', ip);
  add('helo', helo);
  add('from', mailFrom);
  for (const recipient of recipients) add('rcpt', recipient);
  if (iprevName) add('hostname', iprevName);
  return headers;
};

/** Reads a body up to the limit; null where it is longer, and its connection closes. */
const readBody = async ({ body }: Response): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the stream.
    if (size > MAX_RESPONSE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** @returns null without a valid response */
export const scanWithRspamd = async (
  url: string,
  raw: Uint8Array,
  session: ScannedSession,
): Promise<ScanVerdict | null> => {
  try {
    const response = await fetch(new URL('/checkv2', url), {
      method: 'POST',
      body: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
      headers: toHeaders(session),
      redirect: 'error',
      signal: AbortSignal.timeout(TIME_OUT_MS),
    });
    const body = await readBody(response);
    if (!response.ok || body === null) return null;
    const { action } = JSON.parse(body) as { action?: unknown };
    if (typeof action !== 'string') return null;
    return FAILING.has(action) ? 'FAIL' : 'PASS';
  } catch {
    return null;
  }
};

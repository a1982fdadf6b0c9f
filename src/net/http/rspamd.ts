/** Asks rspamd for its verdict (https://rspamd.com/doc/architecture/protocol.html). */

/** A scanner that does not answer within it has no say; the mail is not kept waiting longer. */
const TIME_OUT_MS = 5_000;
/** Its answer is a few KB of JSON. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface ScannedSession {
  ip: string;
  helo: string;
  mailFrom: string;
  recipients: readonly string[];
  iprevName: string | null;
}

export type ScanVerdict = 'PASS' | 'FAIL';

/** What each action says of the mail; `greylist` and `no action` let it through. */
const FAILING = new Set(['reject', 'add header', 'rewrite subject', 'soft reject', 'quarantine', 'discard']);

const headersOf = ({ ip, helo, mailFrom, recipients, iprevName }: ScannedSession): Headers => {
  const headers = new Headers({ 'content-type': 'message/rfc822' });
  const add = (name: string, value: string) => headers.append(name, value.replace(/[^\x20-\x7e]/g, '?'));
  add('ip', ip);
  add('helo', helo);
  add('from', mailFrom);
  for (const recipient of recipients) add('rcpt', recipient);
  if (iprevName) add('hostname', iprevName);
  return headers;
};

/** @returns null where the scanner does not answer, or not in a way that can be read */
export const askRspamd = async (url: string, raw: Uint8Array, session: ScannedSession): Promise<ScanVerdict | null> => {
  try {
    const response = await fetch(new URL('/checkv2', url), {
      method: 'POST',
      body: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
      headers: headersOf(session),
      redirect: 'error',
      signal: AbortSignal.timeout(TIME_OUT_MS),
    });
    if (!response.ok) return null;
    if (Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) return null;
    const { action } = (await response.json()) as { action?: unknown };
    if (typeof action !== 'string') return null;
    return FAILING.has(action) ? 'FAIL' : 'PASS';
  } catch {
    return null;
  }
};

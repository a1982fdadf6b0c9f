/** Scans messages with rspamd (https://rspamd.com/doc/architecture/protocol.html). */

import { asBuffer } from '../../kernel/text/octets.ts';
import { readBoundedBody } from './bounded-body.ts';

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
const FAILING = new Set(['reject', 'add header', 'rewrite subject', 'quarantine', 'discard']);
/** Greylisting, a rate limit, or a virus scanner that is down: the mail was not judged. */
const LATER = 'soft reject';

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

/** @returns null without a valid response */
export const scanWithRspamd = async (
  url: string,
  raw: Uint8Array,
  session: ScannedSession,
): Promise<ScanVerdict | null> => {
  try {
    const response = await fetch(new URL('/checkv2', url), {
      method: 'POST',
      body: asBuffer(raw),
      headers: toHeaders(session),
      redirect: 'error',
      signal: AbortSignal.timeout(TIME_OUT_MS),
    });
    if (response.body === null) return null;
    const { body, truncated } = await readBoundedBody(response.body, MAX_RESPONSE_BYTES);
    if (!response.ok || truncated) return null;
    const { action } = JSON.parse(body.toString('utf8')) as { action?: unknown };
    if (typeof action !== 'string' || action === LATER) return null;
    return FAILING.has(action) ? 'FAIL' : 'PASS';
  } catch {
    return null;
  }
};

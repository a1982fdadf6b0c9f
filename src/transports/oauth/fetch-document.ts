/** Fetches client ID metadata documents with the guarded HTTP client, in the form for oidc-provider. */

import { SECOND } from '../../kernel/clock.ts';
import type { SendGuarded } from '../../net/http/guarded-client.ts';

const TIMEOUT_MS = 5 * SECOND;
/** A document lists names and URIs; the draft recommends 5 KB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024;

/** Follows no redirect, as the draft requires; passes on every other status. */
export const createFetchDocument =
  (request: SendGuarded) =>
  async (url: string): Promise<Response> => {
    const { status, headers, body, truncated } = await request({
      url: new URL(url),
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_DOCUMENT_BYTES,
    });
    if (truncated) throw new Error('The document is too large.');
    const kept = Object.entries({ 'cache-control': headers['cache-control'], expires: headers.expires });
    const known = kept.filter((header): header is [string, string] => header[1] !== undefined);
    // A Response has no body at these (the Fetch standard, null body status).
    const hasBody = status >= 200 && ![204, 205, 304].includes(status);
    return new Response(hasBody ? new Uint8Array(body) : null, { status: Math.max(status, 200), headers: known });
  };

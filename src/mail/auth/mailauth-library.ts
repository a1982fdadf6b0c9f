/**
 * Imports mailauth's inner modules, in this file alone, for two reasons. Its entry also loads BIMI and other checks: 10
 * MB and 0.15 s of each worker thread. And its `dkimVerify` makes buffers for each line with blanks to remove.
 */

import { createPublicKey } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { DNSResolver } from 'mailauth';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { getPublicKey, type PublicKeyLookup, type PublicKeyRecord } from 'mailauth/lib/tools.js';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { codeOf } from '../../kernel/text/message-of.ts';
import { relaxedBody } from './relaxed-body.ts';

export { arc } from 'mailauth/lib/arc/index.js';
export { dmarc } from 'mailauth/lib/dmarc/index.js';
export { spf } from 'mailauth/lib/spf/index.js';

/** Cache of parsed key records; parsing one costs as much as four verifications. */
const MAX_KEYS = 2000;
const ASCII = /^[\x20-\x7e]*$/;

const keys = new BoundedMap<string, PublicKeyRecord>(MAX_KEYS);

const queryKey = async (resolver: DNSResolver, name: string): ReturnType<DNSResolver> => {
  try {
    return await resolver(ASCII.test(name) ? name : domainToASCII(name) || name, 'TXT');
  } catch (cause) {
    // A name that is invalid in DNS has no key. Treated as a DNS failure it would let a sender force `temperror`.
    if (codeOf(cause) !== 'EBADNAME') throw cause;
    throw Object.assign(new Error('Not a domain name', { cause }), { code: 'ENOTFOUND' });
  }
};

/** Implements mailauth's key lookup. Queries the record every time, so that its TTL applies; caches the parsed record. */
const keyLookup = (resolver: DNSResolver): PublicKeyLookup => {
  const lookup: PublicKeyLookup['get'] = async (type, name, minBits, options = {}) => {
    const records = await queryKey(resolver, name);
    const text = [records[0] ?? ''].flat().join('');
    const id = JSON.stringify([text, minBits, options.strict, options.hashAlgo]);
    const known = keys.get(id);
    if (known) return known;
    const record = await getPublicKey(type, name, minBits, async () => records, options);
    const parsed = { ...record, publicKey: createPublicKey(record.publicKey) };
    keys.set(id, parsed);
    return parsed;
  };
  return {
    resolver,
    get: (...query) => {
      const found = lookup(...query);
      // The ARC check starts lookups early and may never await them: marks the rejection as handled.
      found.catch(() => undefined);
      return found;
    },
  };
};

/**
 * Feeds the body to the verifier's hashes. The relaxed form is computed once here, and mailauth leaves it unchanged.
 * By itself it computes that form per hash: 25 MB of lines with a blank take it 10 s each time, and 0.2 s here.
 */
const hashBody = ({ bodyHashes }: DkimVerifier, body: Buffer): void => {
  let relaxed: Buffer | null = null;
  for (const [key, bodyHash] of bodyHashes) {
    if (key.startsWith('relaxed:')) relaxed ??= relaxedBody(body);
    bodyHash.update(relaxed && key.startsWith('relaxed:') ? relaxed : body);
  }
};

/** Verifies the signatures of a header section and a body with CRLF; the verifier has the results, and the ARC chain. */
export const verifyDkim = async (
  header: Buffer,
  body: Buffer,
  options: ConstructorParameters<typeof DkimVerifier>[0],
): Promise<DkimVerifier> => {
  const verifier = new DkimVerifier(options);
  const lookup = keyLookup(options.resolver);
  verifier.keyCache = lookup;
  verifier.arc.keyCache = lookup;
  await verifier.emitHeaders(header);
  hashBody(verifier, body);
  await verifier.finalChunk();
  return verifier;
};

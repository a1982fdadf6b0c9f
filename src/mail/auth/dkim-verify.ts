/** Verifies the DKIM signatures and the ARC chain of a message with mailauth (RFC 6376, 8301, 8463, 8617). */

import { createPublicKey } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { ARCData, DNSResolver } from 'mailauth';
import { arc } from 'mailauth/lib/arc/index.js';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { getPublicKey, type PublicKeyLookup, type PublicKeyRecord } from 'mailauth/lib/tools.js';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { eachField } from '../header/header-section.ts';
import { withCrlf } from '../mime/crlf.ts';
import { relaxedBody } from './relaxed-body.ts';

export type DkimWord = 'none' | 'pass' | 'fail' | 'policy' | 'temperror' | 'permerror';

export interface DkimSignatureResult {
  word: DkimWord;
  /** `d=`, as in the signature. */
  domain: string;
  /** RFC 8601's resinfo: `dkim=pass header.d=…`. */
  info: string;
}

export interface SignatureResults {
  signatures: DkimSignatureResult[];
  /** `sealer`: the domain of the last seal of a passing chain; null without one. */
  arc: { word: string; info: string | null; sealer: string | null };
}

/**
 * RFC 6376 section 6.1 permits a limit: every signature costs a DNS query, and with an `l=` of its own a hash of the
 * body.
 */
const MAX_SIGNATURES = 8;
/** mailauth's cost grows with the square of the lines; real header sections have some hundred of them. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_HEADER_LINES = 2000;
/** Cache of parsed key records; parsing one costs as much as two verifications. */
const MAX_KEYS = 2000;

/**
 * mailauth trims blanks and dots by patterns whose cost grows with the square of a run: 20 000 tabs in one tag take
 * 2.7 s. Real signers fold by some ten blanks at most. The whole section is searched, because mailauth counts a line
 * without a field name as part of the field above it.
 */
const LONG_RUN = /[ \t\r\n]{257}|\.{1000}/;

const LF = 0x0a;
const ASCII = /^[\x20-\x7e]*$/;
const SIGNATURE = /^dkim-signature[ \t\r\n]*:/i;
const SIGNED = /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))[ \t\r\n]*:/i;

const keys = new BoundedMap<string, PublicKeyRecord>(MAX_KEYS);

/** A name that is invalid in DNS has no key. Treated as a DNS failure it would let a sender force `temperror`. */
const isNoName = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'EBADNAME';

const queryKey = async (resolver: DNSResolver, name: string): ReturnType<DNSResolver> => {
  try {
    return await resolver(ASCII.test(name) ? name : domainToASCII(name) || name, 'TXT');
  } catch (cause) {
    if (!isNoName(cause)) throw cause;
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

interface Section {
  header: Buffer;
  signed: boolean;
  isTooLong: boolean;
}

/** Scans the header section once for signatures, and for fields whose verification would cost too much. */
const survey = (header: Buffer): Section => {
  const kept: Buffer[] = [];
  let lines = 0;
  let signatures = 0;
  let signed = false;
  eachField(header, (start, end) => {
    const field = header.subarray(start, end);
    const name = header.toString('latin1', start, Math.min(end, start + 64));
    for (let at = start; at >= start && at < end; at = header.indexOf(LF, at) + 1 || end) lines += 1;
    if (SIGNED.test(name)) signed = true;
    if (!SIGNATURE.test(name) || ++signatures <= MAX_SIGNATURES) kept.push(field);
    return true;
  });
  const isTooLong = header.length > MAX_HEADER_BYTES || lines > MAX_HEADER_LINES;
  return { header: signatures > MAX_SIGNATURES ? Buffer.concat(kept) : header, signed, isTooLong };
};

/** The reason for which a signed header section is not verified; null where it is. */
const refusalFor = (header: Buffer, { isTooLong }: Section): string | null => {
  if (isTooLong) return 'header section too long';
  return LONG_RUN.test(header.toString('latin1')) ? 'long run of blanks or dots' : null;
};

/**
 * Maps mailauth's result to RFC 8601's word. A signature that does not verify is `fail` for any reason, where mailauth
 * calls some of them neutral. One whose `l=` leaves a part of the body unsigned is `policy` (RFC 6376 section 8.2).
 */
const toResultWord = (result: string, unsigned: number): DkimWord => {
  if (result === 'pass') return unsigned > 0 ? 'policy' : 'pass';
  if (result === 'none' || result === 'policy' || result === 'temperror') return result;
  return 'fail';
};

const NONE: SignatureResults = {
  signatures: [{ word: 'none', domain: '', info: 'dkim=none (message not signed)' }],
  arc: { word: 'none', info: null, sealer: null },
};

const unverifiable = (why: string): SignatureResults => ({
  signatures: [{ word: 'permerror', domain: '', info: `dkim=permerror (${why})` }],
  arc: { word: 'none', info: null, sealer: null },
});

/**
 * Feeds the body to the verifier's hashes. The relaxed form is computed once here: mailauth computes it per hash, a
 * buffer per line, and takes half a minute for a large message of blanks; it leaves an already relaxed body unchanged.
 */
const hashBody = ({ bodyHashes }: DkimVerifier, body: Buffer): void => {
  let relaxed: Buffer | null = null;
  for (const [key, bodyHash] of bodyHashes) {
    if (key.startsWith('relaxed:')) relaxed ??= relaxedBody(body);
    bodyHash.update(relaxed && key.startsWith('relaxed:') ? relaxed : body);
  }
};

const readSealer = ({ lastEntry }: ARCData): string | null => {
  const domain: unknown = lastEntry?.['arc-seal']?.parsed?.d?.value;
  return typeof domain === 'string' ? domain.toLowerCase() : null;
};

interface VerifyContext {
  /** Of the sending host; it stands in the ARC result. */
  ip: string;
  resolver: DNSResolver;
  /** The time for signature expiry. */
  at: Date;
}

const verify = async (header: Buffer, body: Buffer, { ip, resolver, at }: VerifyContext): Promise<SignatureResults> => {
  const verifier = new DkimVerifier({ resolver, strict: true, curTime: at });
  const lookup = keyLookup(resolver);
  verifier.keyCache = lookup;
  verifier.arc.keyCache = lookup;
  // Signatures cover CRLF; a message from a file may have bare LF.
  await verifier.emitHeaders(withCrlf(header));
  hashBody(verifier, withCrlf(body));
  await verifier.finalChunk();

  const chain = await arc(verifier.arc, { resolver, strict: true, ip });
  return {
    signatures: verifier.results.map(({ status, signingDomain, info }) => {
      const unsigned = (status as { underSized?: number }).underSized ?? 0;
      const word = toResultWord(status.result, unsigned);
      return { word, domain: signingDomain ?? '', info: info.replace(/^dkim=[a-z]+/, `dkim=${word}`) };
    }),
    arc: {
      word: chain.status.result,
      info: chain.status.result === 'none' ? null : (chain.info ?? null),
      sealer: chain.status.result === 'pass' ? readSealer(verifier.arc) : null,
    },
  };
};

/**
 * Verifies every signature of a message.
 * @param header the header section
 * @param body everything after its empty line
 * @returns at least one result; never throws, a DNS failure is `temperror`
 */
export const verifySignatures = async (
  header: Buffer,
  body: Buffer,
  context: VerifyContext,
): Promise<SignatureResults> => {
  const section = survey(header);
  if (!section.signed) return NONE;
  const refusal = refusalFor(header, section);
  if (refusal !== null) return unverifiable(refusal);
  try {
    return await verify(section.header, body, context);
  } catch {
    // mailauth failed on a malformed field: the message is still accepted.
    return unverifiable('signature could not be read');
  }
};

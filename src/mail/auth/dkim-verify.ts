/** DKIM signatures and the ARC chain of a message, checked by mailauth's verifier (RFC 6376, 8301, 8463, 8617). */

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
  /** `d=`, as written. */
  domain: string;
  /** RFC 8601's resinfo: `dkim=pass header.d=…`. */
  info: string;
}

export interface SignatureResults {
  signatures: DkimSignatureResult[];
  /** `sealer`: who sealed a chain that passes last; null where none does. */
  arc: { word: string; info: string | null; sealer: string | null };
}

/** RFC 6376 section 6.1 lets a verifier stop: every signature is a DNS query, and with an `l=` of its own a hash of the body. */
const MAX_SIGNATURES = 8;
/** mailauth's cost grows with the square of the lines; real header sections have some hundred of them. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_HEADER_LINES = 2000;
/** Key records kept in their parsed form; parsing one costs as much as two verifications. */
const MAX_KEYS = 2000;

/**
 * mailauth trims blanks and dots by patterns whose cost grows with the square of a run: 20 000 tabs in one tag take 2.7 s. No
 * signer folds by more than some ten blanks.
 */
const LONG_RUN = /[ \t\r\n]{257}|\.{257}/;

const LF = 0x0a;
const ASCII = /^[\x20-\x7e]*$/;
const SIGNATURE = /^dkim-signature[ \t\r\n]*:/i;
const SIGNED = /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))[ \t\r\n]*:/i;
/** Read by mailauth for alignment. */
const AUTHOR = /^from[ \t\r\n]*:/i;

const keys = new BoundedMap<string, PublicKeyRecord>(MAX_KEYS);

/** A name that no query can hold has no key. As a failure of DNS it would leave a mail unjudged at its sender's wish. */
const isNoName = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'EBADNAME';

const askKey = async (resolver: DNSResolver, name: string): ReturnType<DNSResolver> => {
  try {
    return await resolver(ASCII.test(name) ? name : domainToASCII(name) || name, 'TXT');
  } catch (cause) {
    if (!isNoName(cause)) throw cause;
    throw Object.assign(new Error('Not a domain name', { cause }), { code: 'ENOTFOUND' });
  }
};

/** mailauth's key lookup. The record is asked for every time, so that DNS alone decides its life; its parsing is remembered. */
const keyLookup = (resolver: DNSResolver): PublicKeyLookup => {
  const lookup: PublicKeyLookup['get'] = async (type, name, minBits, options = {}) => {
    const records = await askKey(resolver, name);
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
      // The ARC check asks ahead and may not come back for the answer: a refusal must not go unheard.
      found.catch(() => undefined);
      return found;
    },
  };
};

interface Section {
  header: Buffer;
  signed: boolean;
  /** Why none of it is verified; null where it may be. */
  refusal: string | null;
}

/** Looks once over the header section for signatures, and for what would make verifying them cost too much. */
const survey = (header: Buffer): Section => {
  const kept: Buffer[] = [];
  let lines = 0;
  let signatures = 0;
  let signed = false;
  let hasLongRun = false;
  eachField(header, (start, end) => {
    const field = header.subarray(start, end);
    const name = header.toString('latin1', start, Math.min(end, start + 64));
    for (let at = start; at >= start && at < end; at = header.indexOf(LF, at) + 1 || end) lines += 1;
    if (SIGNED.test(name)) signed = true;
    if (SIGNED.test(name) || AUTHOR.test(name)) hasLongRun ||= LONG_RUN.test(field.toString('latin1'));
    if (!SIGNATURE.test(name) || ++signatures <= MAX_SIGNATURES) kept.push(field);
    return true;
  });
  const isTooLong = header.length > MAX_HEADER_BYTES || lines > MAX_HEADER_LINES;
  return {
    header: signatures > MAX_SIGNATURES ? Buffer.concat(kept) : header,
    signed,
    refusal: isTooLong ? 'header section too long' : hasLongRun ? 'long run of blanks or dots' : null,
  };
};

/**
 * RFC 8601's word for one signature. A signature that does not verify is `fail`, for whatever reason: mailauth calls some of
 * them neutral. One whose `l=` leaves a part of the body unsigned is not acceptable to us (RFC 6376 section 8.2).
 */
const wordOf = (result: string, unsigned: number): DkimWord => {
  if (result === 'pass') return unsigned > 0 ? 'policy' : 'pass';
  if (result === 'none' || result === 'policy' || result === 'temperror') return result;
  return 'fail';
};

const NONE: SignatureResults = {
  signatures: [{ word: 'none', domain: '', info: 'dkim=none (message not signed)' }],
  arc: { word: 'none', info: null, sealer: null },
};

const unreadable = (why: string): SignatureResults => ({
  signatures: [{ word: 'permerror', domain: '', info: `dkim=permerror (${why})` }],
  arc: { word: 'none', info: null, sealer: null },
});

/**
 * Gives the body to the verifier's hashes. The relaxed form is made once, by us: mailauth makes it for every hash anew, a
 * buffer a line, and takes half a minute for a large message of blanks. It finds nothing left to change in ours.
 */
const hashBody = ({ bodyHashes }: DkimVerifier, body: Buffer): void => {
  let relaxed: Buffer | null = null;
  for (const [key, bodyHash] of bodyHashes) {
    if (key.startsWith('relaxed:')) relaxed ??= relaxedBody(body);
    bodyHash.update(relaxed && key.startsWith('relaxed:') ? relaxed : body);
  }
};

const sealerOf = ({ lastEntry }: ARCData): string | null => {
  const domain: unknown = lastEntry?.['arc-seal']?.parsed?.d?.value;
  return typeof domain === 'string' ? domain.toLowerCase() : null;
};

const verify = async (
  header: Buffer,
  body: Buffer,
  ip: string,
  resolver: DNSResolver,
  at: Date,
): Promise<SignatureResults> => {
  const verifier = new DkimVerifier({ resolver, strict: true, curTime: at });
  const lookup = keyLookup(resolver);
  verifier.keyCache = lookup;
  verifier.arc.keyCache = lookup;
  // Signatures are made over CRLF; a message that came from a file may have bare LF.
  await verifier.emitHeaders(withCrlf(header));
  hashBody(verifier, withCrlf(body));
  await verifier.finalChunk();

  const chain = await arc(verifier.arc, { resolver, strict: true, ip });
  return {
    signatures: verifier.results.map(({ status, signingDomain, info }) => {
      const unsigned = (status as { underSized?: number }).underSized ?? 0;
      const word = wordOf(status.result, unsigned);
      return { word, domain: signingDomain ?? '', info: info.replace(/^dkim=[a-z]+/, `dkim=${word}`) };
    }),
    arc: {
      word: chain.status.result,
      info: chain.status.result === 'none' ? null : (chain.info ?? null),
      sealer: chain.status.result === 'pass' ? sealerOf(verifier.arc) : null,
    },
  };
};

/**
 * Checks every signature of a message.
 * @param header the header section
 * @param body what follows its empty line
 * @param at the moment at which signatures may have expired
 * @returns one result at least; never throws, a DNS failure is `temperror`
 */
export const verifySignatures = async (
  header: Buffer,
  body: Buffer,
  ip: string,
  resolver: DNSResolver,
  at: Date,
): Promise<SignatureResults> => {
  const section = survey(header);
  if (!section.signed) return NONE;
  if (section.refusal !== null) return unreadable(section.refusal);
  try {
    return await verify(section.header, body, ip, resolver, at);
  } catch {
    // A field that the verifier trips over: a stranger's mail is never a reason to stop.
    return unreadable('signature could not be read');
  }
};

/** Verifies the DKIM signatures and the ARC chain of a message with mailauth (RFC 6376, 8301, 8463, 8617). */

import type { ARCData, DNSResolver } from 'mailauth';
import { eachField } from '../header/header-section.ts';
import { withCrlf } from '../mime/crlf.ts';
import { arc, verifyDkim } from './mailauth-library.ts';

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

/**
 * The cost of mailauth’s trimming of blanks and dots grows with the square of a run: 20 000 tabs in one tag take
 * 2.7 s. Real signers fold by some ten blanks at most. The whole section is searched, because mailauth counts a line
 * without a field name as part of the field above it.
 */
const LONG_RUN = /[ \t\r\n]{257}|\.{1000}/;

const LF = 0x0a;
const SIGNATURE = /^dkim-signature[ \t\r\n]*:/i;
const SIGNED = /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))[ \t\r\n]*:/i;

interface Section {
  header: Buffer;
  signed: boolean;
  isTooLong: boolean;
}

/** Scans the header section once for signatures, and for fields that would cost too much to verify. */
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
 * calls some of them neutral. Where `l=` leaves a part of the body unsigned, it is `policy` (RFC 6376 section 8.2).
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

const readSealer = ({ lastEntry }: ARCData): string | null => {
  const domain: unknown = lastEntry?.['arc-seal']?.parsed?.d?.value;
  return typeof domain === 'string' ? domain.toLowerCase() : null;
};

interface VerifyContext {
  /** The address of the sending host; it stands in the ARC result. */
  ip: string;
  resolver: DNSResolver;
  /** The time for signature expiry. */
  at: Date;
}

const verify = async (header: Buffer, body: Buffer, { ip, resolver, at }: VerifyContext): Promise<SignatureResults> => {
  // Signatures cover CRLF; a message from a file may have bare LF.
  const verifier = await verifyDkim(withCrlf(header), withCrlf(body), { resolver, strict: true, curTime: at });
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

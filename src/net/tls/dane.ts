/** DANE for SMTP (RFC 7672, RFC 7671): checks a host's certificate against its TLSA records. */

import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { CertificateCheck, TlsFailure } from '../smtp/delivery-request.ts';

/** RFC 6698 section 2.1. */
export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly data: Buffer;
}

/**
 * Usages: the host's own certificate or key, and an authority's. RFC 7672 section 3.1.3 excludes the other two from
 * SMTP.
 */
const DANE_EE = 3;
export const DANE_TA = 2;
const DIGESTS: Readonly<Record<number, { name: string; size: number }>> = {
  1: { name: 'sha256', size: 32 },
  2: { name: 'sha512', size: 64 },
};
const FULL = 0;
const MAX_CHAIN = 10;

const isUsable = ({ usage, selector, matchingType, data }: TlsaRecord): boolean =>
  (usage === DANE_EE || usage === DANE_TA) &&
  (selector === 0 || selector === 1) &&
  (matchingType === FULL ? data.length > 0 : DIGESTS[matchingType]?.size === data.length);

/** Selects the usable records; without any, TLS is required and the certificate is not checked (RFC 7672 section 2.2). */
export const usableRecords = (records: readonly TlsaRecord[]): TlsaRecord[] => records.filter(isUsable);

/** Formats the presentation form of zone files. */
export const formatTlsa = ({ usage, selector, matchingType, data }: TlsaRecord): string =>
  `${usage} ${selector} ${matchingType} ${data.toString('hex').toUpperCase()}`;

const encodeSpki = ({ publicKey }: X509Certificate): Buffer => publicKey.export({ format: 'der', type: 'spki' });

const matches = ({ selector, matchingType, data }: TlsaRecord, certificate: X509Certificate): boolean => {
  const chosen = selector === 0 ? certificate.raw : encodeSpki(certificate);
  const digest = DIGESTS[matchingType];
  return (digest ? createHash(digest.name).update(chosen).digest() : chosen).equals(data);
};

/** Parses an authority that the record contains in full, so that the host need not send it. */
const readAnchor = ({ selector, matchingType, data }: TlsaRecord): X509Certificate | KeyObject | null => {
  if (matchingType !== FULL) return null;
  try {
    return selector === 0 ? new X509Certificate(data) : createPublicKey({ key: data, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
};

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

const isIssuedByAnchor = (certificate: X509Certificate, anchor: X509Certificate | KeyObject): boolean =>
  anchor instanceof X509Certificate ? isIssuedBy(certificate, anchor) : certificate.verify(anchor);

/** Returns the certificates that the host sent, its own first. */
const readSentChain = (socket: TLSSocket): X509Certificate[] => {
  const chain: X509Certificate[] = [];
  // Node returns a peer's X509Certificate only once; this call repeats.
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (at?.raw && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(at.raw));
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return chain;
};

/**
 * Returns the chain up to an authority of the records, which is excluded where only a record contains it; null where no
 * authority is reached.
 */
const chainToAnchor = (
  sent: readonly X509Certificate[],
  records: readonly TlsaRecord[],
): readonly X509Certificate[] | null => {
  const anchors = records.map(readAnchor).filter((anchor) => anchor !== null);
  for (const [at, certificate] of sent.entries()) {
    if (at > 0 && records.some((record) => matches(record, certificate))) return sent.slice(0, at + 1);
    if (anchors.some((anchor) => isIssuedByAnchor(certificate, anchor))) return sent.slice(0, at + 1);
    const issuer = sent[at + 1];
    if (!issuer || !isIssuedBy(certificate, issuer)) return null;
  }
  return null;
};

const failed = (type: TlsFailure['type'], reason: string): TlsFailure => ({ type, reason });

/** RFC 7671 section 5.2: with DANE-TA, names and dates are checked as without DANE. */
const checkChain = (
  chain: readonly X509Certificate[],
  hostnames: readonly string[],
  now: number,
): TlsFailure | null => {
  const [leaf] = chain;
  const isOver = chain.some(({ validFromDate, validToDate }) => +validFromDate > now || +validToDate < now);
  if (isOver) return failed('certificate-expired', 'A certificate of the chain is over, or does not yet hold');
  if (hostnames.some((name) => leaf?.checkHost(name, { partialWildcards: false }))) return null;
  return failed('certificate-host-mismatch', `The certificate is not for ${hostnames.join(' or ')}`);
};

/**
 * @param usable at least one
 * @param hostnames reference identifiers for DANE-TA, of which one must match (RFC 7672 section 3.2.3)
 */
export const daneCheck =
  (usable: readonly TlsaRecord[], hostnames: readonly string[]): CertificateCheck =>
  (socket) => {
    const sent = readSentChain(socket);
    const [leaf] = sent;
    if (!leaf) return failed('certificate-not-trusted', 'The host sent no certificate');
    // RFC 7672 section 3.1.1: DANE-EE ignores names and dates.
    if (usable.some((record) => record.usage === DANE_EE && matches(record, leaf))) return null;
    const authorities = usable.filter(({ usage }) => usage === DANE_TA);
    const chain = authorities.length > 0 ? chainToAnchor(sent, authorities) : null;
    if (chain) return checkChain(chain, hostnames, Date.now());
    return failed('certificate-not-trusted', 'The certificate is none that the TLSA records name (DANE)');
  };

/** Authenticates a message's origin by SPF, DKIM, ARC and DMARC, and writes the Authentication-Results field. */

import type { DMARCResult, DNSResolver } from 'mailauth';
import { getDomain } from 'tldts';
import { domainOf, type NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { foldField } from '../header/fold.ts';
import type { MailHead, ReadMessage } from '../header/message-header.ts';
import { boundedResolver, type DnsResolve, POLICY_ELAPSED_MS } from './bounded-resolver.ts';
import { type DkimSignatureResult, verifySignatures } from './dkim-verify.ts';
import { dmarc, spf } from './mailauth-library.ts';

export type { DnsResolve } from './bounded-resolver.ts';

export interface SessionFacts {
  /** The client's address, IPv4 or IPv6. */
  ip: string;
  helo: string;
  /** The return path without brackets; '' is the null return path. */
  mailFrom: string;
  /** The authserv-id of the results (RFC 8601 section 2.5): a host name. */
  authservId: string;
}

export interface Authentication {
  /** RFC 8601 result words, one each. */
  spf: string;
  /** `pass` if any signature passes. */
  dkim: string;
  /** `none` where no policy is published, or the message has no sole author. */
  dmarc: string;
  arc: string;
  /** The domain of the last seal of a passing ARC chain; null without one. */
  arcSealer: string | null;
  /** The author's domain, A-labels in lower case; null without a sole author. */
  fromDomain: string | null;
  /** The policy that applies to this message, `sp`, `np` and `t` considered (RFC 9989); null without a DMARC record. */
  dmarcPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** DMARC passes; or there is no record, and SPF or DKIM passes for a domain of the author's organisation. */
  aligned: boolean;
  /** The whole Authentication-Results field, folded, with its CRLF. */
  header: string;
}

/** Precedence of the results of several signatures, the decisive one first. */
const DKIM_ORDER = ['pass', 'temperror', 'fail', 'policy', 'permerror', 'none'] as const;

const organisation = (domain: string): string =>
  getDomain(domain, { allowPrivateDomains: true }) ?? domain.toLowerCase().replace(/\.$/, '');

const checkDmarc = async (
  from: NamedAddress | null,
  spfResult: { word: string; domain: string },
  signatures: DkimSignatureResult[],
  resolver: DNSResolver,
) => {
  if (from === null) return { word: 'none', policy: null, info: 'dmarc=none' };
  const fromDomain = domainOf(from.address);
  const result: DMARCResult | false = await dmarc({
    headerFrom: [from.address],
    fromFields: 1,
    spfDomains: spfResult.word === 'pass' ? [spfResult.domain] : [],
    dkimDomains: signatures.filter(({ word }) => word === 'pass').map(({ domain }) => ({ domain })),
    resolver,
    strict: true,
  });
  if (!result) return { word: 'none', policy: null, info: 'dmarc=none' };
  const policy = (result.policy as Authentication['dmarcPolicy']) ?? null;

  // mailauth requires the passing domains. Where a check that might have aligned failed temporarily, `fail` would be
  // wrong: the result is `temperror`.
  const related = (domain: string): boolean => organisation(domain) === organisation(fromDomain);
  const unsure =
    (spfResult.word === 'temperror' && related(spfResult.domain)) ||
    signatures.some(({ word, domain }) => word === 'temperror' && related(domain));
  if (result.status.result === 'fail' && unsure) {
    return { word: 'temperror', policy, info: `dmarc=temperror header.from=${fromDomain}` };
  }
  return { word: result.status.result, policy, info: result.info };
};

/**
 * Authenticates one message; its author is read from the parsed header.
 * @param resolve resolves TXT, A, AAAA, MX, PTR and CNAME; its failures become `temperror`, none is thrown
 * @param now the time for signature expiry; by default the current time
 * @see RFC 7208, RFC 6376, RFC 8617, RFC 9989, RFC 8601
 */
export const authenticate = async (
  { header, body, head: { author } }: Pick<ReadMessage, 'header' | 'body'> & { head: Pick<MailHead, 'author'> },
  session: SessionFacts,
  resolve: DnsResolve,
  now: Millis = Date.now(),
): Promise<Authentication> => {
  const resolver = boundedResolver(resolve) as DNSResolver;
  const fromDomain = author && domainOf(author.address);

  const { ip, helo, mailFrom, authservId } = session;
  const [spfCheck, signed] = await Promise.all([
    spf({ sender: mailFrom, ip, helo, mta: authservId, resolver, strict: true }),
    verifySignatures(header, body, { ip, resolver, at: new Date(now) }),
  ]);
  const spfResult = { word: spfCheck.status.result, domain: spfCheck.domain };
  const { signatures } = signed;
  // A separate budget: queries that the sender's records cause do not use up those for the author's policy.
  const policyResolver = boundedResolver(resolve, POLICY_ELAPSED_MS) as DNSResolver;
  const dmarcCheck = await checkDmarc(author, spfResult, signatures, policyResolver);

  const passed = [
    ...(spfResult.word === 'pass' ? [spfResult.domain] : []),
    ...signatures.filter(({ word }) => word === 'pass').map(({ domain }) => domain),
  ];
  const aligned =
    dmarcCheck.word === 'pass' ||
    (dmarcCheck.word === 'none' &&
      fromDomain !== null &&
      passed.some((domain) => organisation(domain) === organisation(fromDomain)));

  const rows = [...signatures.map(({ info }) => info), spfCheck.info, signed.arc.info, dmarcCheck.info];
  const field = `Authentication-Results: ${authservId}; ${rows.filter((row) => row !== null).join('; ')}`;
  return {
    spf: spfResult.word,
    dkim: DKIM_ORDER.find((word) => signatures.some((signature) => signature.word === word)) ?? 'none',
    dmarc: dmarcCheck.word,
    arc: signed.arc.word,
    arcSealer: signed.arc.sealer,
    fromDomain,
    dmarcPolicy: dmarcCheck.policy,
    aligned,
    header: foldField(field),
  };
};

/** Says who a message is from, as far as that can be known: SPF, DKIM, ARC and DMARC, and the field that records them. */

import type { DMARCResult, DNSResolver } from 'mailauth';
import { dmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { getDomain } from 'tldts';
import { domainOf, type NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { foldField } from '../header/fold.ts';
import type { MailHead, ReadMessage } from '../header/message-header.ts';
import { boundedResolver, type DnsResolve, POLICY_ELAPSED_MS } from './bounded-resolver.ts';
import { type DkimSignatureResult, verifySignatures } from './dkim-verify.ts';

export type { DnsResolve } from './bounded-resolver.ts';

export interface SessionFacts {
  /** The client's address, IPv4 or IPv6. */
  ip: string;
  helo: string;
  /** The envelope's sender without brackets; '' is the null sender. */
  mailFrom: string;
  /** Under whose name the results stand (RFC 8601 section 2.5): a host name. */
  authservId: string;
}

export interface Authentication {
  /** RFC 8601 result words, one each. */
  spf: string;
  /** `pass` if any signature passes. */
  dkim: string;
  /** `none` where no policy is published, and where there is no one author. */
  dmarc: string;
  arc: string;
  /** The domain that sealed a passing ARC chain last; null where there is none. */
  arcSealer: string | null;
  /** The author's domain, A-labels in lower case; null where there is no one author. */
  fromDomain: string | null;
  /** The policy asked for this message, `sp`, `np` and `t` considered (RFC 9989); null where there is no record. */
  dmarcPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** DMARC passes; or there is no record, and SPF or DKIM passes for a domain of the From's organisation. */
  aligned: boolean;
  /** The whole Authentication-Results field, folded, with its CRLF. */
  header: string;
}

/** The words of a message with several signatures, the one that counts first. */
const DKIM_ORDER = ['pass', 'temperror', 'fail', 'policy', 'permerror', 'none'] as const;

const organisation = (domain: string): string =>
  getDomain(domain, { allowPrivateDomains: true }) ?? domain.toLowerCase().replace(/\.$/, '');

interface DmarcOutcome {
  word: string;
  policy: Authentication['dmarcPolicy'];
  info: string;
}

/** No longer name is in DNS (RFC 1035 section 3.1), and so none has a policy; mailauth's cost grows with its square. */
const MAX_DOMAIN_CHARS = 253;

const judge = async (
  from: NamedAddress | null,
  spfResult: { word: string; domain: string },
  signatures: DkimSignatureResult[],
  resolver: DNSResolver,
): Promise<DmarcOutcome> => {
  if (from === null) return { word: 'none', policy: null, info: 'dmarc=none' };
  const fromDomain = domainOf(from.address);
  if (fromDomain.length > MAX_DOMAIN_CHARS) return { word: 'none', policy: null, info: 'dmarc=none' };
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

  // mailauth asks who passed. Where a check that might have aligned could not be made for now, "fail" would be a guess.
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
 * Authenticates one message: its author is the one that the reading of its header found.
 * @param resolve asked for TXT, A, AAAA, MX, PTR and CNAME; its failures become `temperror`, nothing is thrown
 * @param now when signatures may have expired; by default the time it is
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
    verifySignatures(header, body, ip, resolver, new Date(now)),
  ]);
  const spfResult = { word: spfCheck.status.result, domain: spfCheck.domain };
  const { signatures } = signed;
  // A budget of its own: what the sender has asked for elsewhere must not keep the author's policy from being found.
  const policyResolver = boundedResolver(resolve, POLICY_ELAPSED_MS) as DNSResolver;
  const verdict = await judge(author, spfResult, signatures, policyResolver);

  const passed = [
    ...(spfResult.word === 'pass' ? [spfResult.domain] : []),
    ...signatures.filter(({ word }) => word === 'pass').map(({ domain }) => domain),
  ];
  const aligned =
    verdict.word === 'pass' ||
    (verdict.word === 'none' &&
      fromDomain !== null &&
      passed.some((domain) => organisation(domain) === organisation(fromDomain)));

  const rows = [...signatures.map(({ info }) => info), spfCheck.info, signed.arc.info, verdict.info];
  const field = `Authentication-Results: ${authservId}; ${rows.filter((row) => row !== null).join('; ')}`;
  return {
    spf: spfResult.word,
    dkim: DKIM_ORDER.find((word) => signatures.some((signature) => signature.word === word)) ?? 'none',
    dmarc: verdict.word,
    arc: signed.arc.word,
    arcSealer: signed.arc.sealer,
    fromDomain,
    dmarcPolicy: verdict.policy,
    aligned,
    header: foldField(field),
  };
};

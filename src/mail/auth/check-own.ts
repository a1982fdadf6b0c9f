/**
 * Evaluates published records for mail of this instance, with the checks for incoming mail; loaded at the first use.
 */

import type { DNSResolver } from 'mailauth';
import type { Millis } from '../../kernel/clock.ts';
import { splitMessage } from '../header/header-section.ts';
import { boundedResolver, type DnsResolve } from './bounded-resolver.ts';
import { type SigningKey, sign } from './dkim-sign.ts';

/** @returns the SPF result (RFC 7208 section 2.6) for mail of the domain from `ip` */
export const evaluateSpf = async (domain: string, ip: string, helo: string, resolve: DnsResolve): Promise<string> => {
  const { spf } = await import('./mailauth-library.ts');
  const resolver = boundedResolver(resolve) as DNSResolver;
  const { status } = await spf({ sender: `postmaster@${domain}`, ip, helo, mta: helo, resolver, strict: true });
  return status.result;
};

/** Makes a signature by the key and verifies it against a published record. */
export const doesSignatureVerify = async (key: SigningKey, record: string, now: Millis): Promise<boolean> => {
  const { verifySignatures } = await import('./dkim-verify.ts');
  const text = [`From: postmaster@${key.domain}`, `To: postmaster@${key.domain}`, 'Subject: Check', '', 'Check.', ''];
  const { header, body } = splitMessage(await sign(Buffer.from(text.join('\r\n')), [key], now));
  const resolver = boundedResolver(async () => [[record]]) as DNSResolver;
  const { signatures } = await verifySignatures(header, body, { ip: '', resolver, at: new Date(now) });
  return signatures.every(({ word }) => word === 'pass');
};

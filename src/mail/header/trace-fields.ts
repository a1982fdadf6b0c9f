/**
 * Writes trace fields (RFC 5321 section 4.4, RFC 8601) and removes those of senders that claim this instance's
 * authserv-id.
 */

import { isIP } from 'node:net';
import { parseDomain } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { foldField } from './fold.ts';
import { eachField, headerSection, readField } from './header-section.ts';

export { headerSection } from './header-section.ts';

type Transport = 'SMTP' | 'SMTPA' | 'SMTPS' | 'SMTPSA';

/** Transmission types of RFC 3848, and of RFC 6531 section 4.3 for SMTPUTF8. */
export type TransmissionType = 'SMTP' | `E${Transport}` | `UTF8${Transport}`;

export interface TlsFacts {
  /** `TLSv1.3`. */
  version: string;
  /** IANA's name. */
  cipher: string;
}

export interface ReceivedFacts {
  /** The client's HELO argument, unverified. */
  helo: string;
  ip: string;
  /** The client's verified host name (iprev, RFC 8601 section 3); null where the check does not pass. */
  iprevName: string | null;
  /** Host name of this instance. */
  by: string;
  protocol: TransmissionType;
  /** Null without TLS. */
  tls: TlsFacts | null;
  id: string;
  /** Null where the field would disclose one recipient to another. */
  recipient: string | null;
  at: Millis;
}

const RESULTS = /^authentication-results[ \t\r\n]*:/i;
/** Octets in which a field's name is searched, a fold before the colon included. */
const NAME_WINDOW = 128;
/** A syntactically valid HELO domain; any other argument is left out of the field. */
const HELO_DOMAIN = /^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,20}\.?$/;

/**
 * Parses the authserv-id of a field's value (RFC 8601 section 2.2): the first word after comments, a quoted one without
 * its quotes.
 */
const readAuthservId = (value: string): string => {
  let at = 0;
  let depth = 0;
  for (; at < value.length; at += 1) {
    const character = value[at];
    if (character === '\\' && depth > 0) at += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && character !== ' ' && character !== '\t') break;
  }
  const rest = value.slice(at, at + 512);
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
  return quoted?.[1]?.replace(/\\(.)/g, '$1') ?? /^[^\s;()]*/.exec(rest)?.[0] ?? '';
};

const sameHost = (a: string, b: string): boolean =>
  a.trim().toLowerCase().replace(/\.$/, '') === b.trim().toLowerCase().replace(/\.$/, '');

/**
 * Removes fields from the header section; all other bytes stay unchanged.
 * @param isRemoved called with the bounds of each field
 * @returns `raw` itself where no field was removed
 */
const cutFields = (raw: Buffer, isRemoved: (header: Buffer, start: number, end: number) => boolean): Buffer => {
  const header = headerSection(raw);
  const kept: Buffer[] = [];
  let from = 0;
  eachField(header, (start, end) => {
    if (!isRemoved(header, start, end)) return true;
    kept.push(raw.subarray(from, start));
    from = end;
    return true;
  });
  return from === 0 ? raw : Buffer.concat([...kept, raw.subarray(from)]);
};

const nameWindow = (header: Buffer, start: number, end: number): string =>
  header.toString('latin1', start, Math.min(end, start + NAME_WINDOW));

/** Removes every Authentication-Results field with this instance's authserv-id (RFC 8601 section 5). */
export const stripForgedResults = (raw: Buffer, authservId: string): Buffer =>
  cutFields(raw, (header, start, end) => {
    if (!RESULTS.test(nameWindow(header, start, end))) return false;
    const value = readField(header.toString('latin1', start, end))?.value ?? '';
    return sameHost(readAuthservId(value), authservId);
  });

/** Removes every field with one of these names, which are in lower case. */
export const withoutFields = (raw: Buffer, names: readonly string[]): Buffer =>
  cutFields(raw, (header, start, end) => {
    const name = /^([^\s:]+)\s*:/.exec(nameWindow(header, start, end))?.[1];
    return name !== undefined && names.includes(name.toLowerCase());
  });

/** Formats a date of RFC 5322 section 3.3, in UTC. */
export const mailDate = (at: Millis): string => new Date(at).toUTCString().replace(/GMT$/, '+0000');

const addressLiteral = (ip: string): string => {
  const bare = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(bare) === 6 ? `[IPv6:${bare}]` : `[${isIP(bare) === 4 ? bare : 'unknown'}]`;
};

/** Removes characters other than printable ASCII, and those that end a clause, comment or path. */
const word = (text: string): string => text.replace(/[^\x21-\x7e]|[()<>\\";]/g, '').slice(0, 255);

/**
 * Writes the Received field that this instance prepends.
 * @returns folded, with its CRLF
 * @see RFC 5321 section 4.4, RFC 3848, RFC 6531 section 4.3
 */
export const receivedHeader = (facts: ReceivedFacts): string => {
  const literal = addressLiteral(facts.ip);
  const helo = HELO_DOMAIN.test(facts.helo) || facts.helo === literal ? facts.helo : literal;
  const known = facts.iprevName !== null && parseDomain(facts.iprevName, 1);
  const client = known ? `${known} ${literal}` : literal;
  const recipient = facts.recipient === null ? '' : ` for <${word(facts.recipient)}>`;
  const { tls } = facts;
  // The comment that Postfix writes: RFC 5321 has no clause for TLS, and trace parsers recognise this form.
  const secured = tls ? ` (using ${word(tls.version)} with cipher ${word(tls.cipher)})` : '';
  const by = `by ${word(facts.by)} with ${facts.protocol} id ${word(facts.id)}`;
  return foldField(`Received: from ${helo} (${client})${secured} ${by}${recipient}; ${mailDate(facts.at)}`);
};

/** Writes the Return-Path field of final delivery (RFC 5321 section 4.4), with its CRLF; '' is the null return path. */
export const returnPathHeader = (mailFrom: string): string =>
  `Return-Path: <${mailFrom.replace(/[\p{Cc}<>]/gu, '')}>\r\n`;

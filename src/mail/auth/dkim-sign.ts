/**
 * Signs a message with DKIM (RFC 6376, 8301, 8463). The signer of mailauth is not used, because it cannot list a field
 * more often than it occurs. A second From could then be added to a signed message.
 */

import { createPrivateKey, sign as cryptoSign, hash, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Millis } from '../../kernel/clock.ts';
import { foldField } from '../header/fold.ts';
import { eachField, splitMessage } from '../header/header-section.ts';
import { withCrlf } from '../mime/crlf.ts';
import type { DkimAlgorithm } from './dkim-key.ts';
import { relaxedBody } from './relaxed-body.ts';

export interface SigningKey {
  algorithm: DkimAlgorithm;
  /** `d=`, A-labels. */
  domain: string;
  selector: string;
  /** PKCS #8, PEM. */
  privateKey: string;
}

/** RFC 6376 section 5.4.1, with the fields that determine the reading of the body and automatic submission. */
const SIGNED = [
  'From',
  'Sender',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'To',
  'Cc',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Content-ID',
  'Content-Description',
  'Auto-Submitted',
  'Resent-Date',
  'Resent-From',
  'Resent-To',
  'Resent-Cc',
  'Resent-Message-ID',
  'List-Id',
  'List-Help',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
];
/**
 * Oversigned: listed once more than they occur, so that none can be added (section 8.15). A list may still add a
 * Reply-To or a Cc.
 */
const OVERSIGNED = new Set(['from', 'subject', 'date', 'to']);
/** A provider's relay may put its own in their place, as Amazon SES does. */
const REPLACED_BY_RELAYS = new Set(['Date', 'Message-ID']);

const DOMAIN = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$/i;
const BASE64_LINE = /.{1,70}/g;

/** RFC 6376 section 3.4.2. */
const relaxedField = (field: string): string => {
  const colon = field.indexOf(':');
  const name = field
    .slice(0, colon)
    .replace(/[ \t\r\n]+/g, '')
    .toLowerCase();
  const value = field
    .slice(colon + 1)
    .replace(/[\r\n]+/g, '')
    .replace(/[ \t]+/g, ' ');
  return `${name}:${value.replace(/^ | $/g, '')}`;
};

/** Groups the fields by name, the last one first: the order in which a verifier takes them (section 5.4.2). */
const fieldsByName = (header: Buffer): Map<string, string[]> => {
  const byName = new Map<string, string[]>();
  eachField(header, (start, end) => {
    const field = relaxedField(header.toString('latin1', start, end));
    const name = field.slice(0, field.indexOf(':'));
    byName.set(name, [field, ...(byName.get(name) ?? [])]);
    return true;
  });
  return byName;
};

/** Cache of parsed keys: the first signature of an unparsed RSA key takes twice the time of the next ones. */
const MAX_KEYS = 200;
const parsedKeys = new BoundedMap<string, KeyObject>(MAX_KEYS);

const parseKey = (pem: string): KeyObject => {
  const known = parsedKeys.get(pem);
  if (known) return known;
  const key = createPrivateKey(pem);
  parsedKeys.set(pem, key);
  return key;
};

const computeSignature = (key: SigningKey, data: Buffer): Buffer => {
  const privateKey = parseKey(key.privateKey);
  // RFC 8463 section 3: Ed25519 signs the hash of what RSA signs.
  return key.algorithm === 'rsa-sha256'
    ? cryptoSign('sha256', data, privateKey)
    : cryptoSign(null, hash('sha256', data, 'buffer'), privateKey);
};

/**
 * Prepends one DKIM-Signature per key, the first key's first; relaxed/relaxed.
 * @param raw the bytes to be sent; bare LF becomes CRLF, as it does on the wire
 * @param now the time of `t=`
 * @param isRelayed whether a provider's relay takes it: RSA alone signs, and no field that the relay may replace
 * @throws TypeError for a message without From, or for an invalid domain or selector
 */
export const sign = async (
  raw: Buffer,
  keys: readonly SigningKey[],
  now: Millis,
  isRelayed = false,
): Promise<Buffer> => {
  // Amazon SES refuses a mail with two signatures; RSA is the one that every host reads.
  const signing = isRelayed ? keys.filter(({ algorithm }) => algorithm === 'rsa-sha256') : keys;
  if (signing.length === 0) return raw;
  const message = withCrlf(raw);
  const { header, body } = splitMessage(message);
  const byName = fieldsByName(header);
  if (!byName.has('from')) throw new TypeError('A message without From cannot be signed');

  const names: string[] = [];
  let fields = '';
  for (const name of SIGNED) {
    if (isRelayed && REPLACED_BY_RELAYS.has(name)) continue;
    const present = byName.get(name.toLowerCase()) ?? [];
    const times = present.length + (OVERSIGNED.has(name.toLowerCase()) ? 1 : 0);
    for (let i = 0; i < times; i += 1) names.push(name);
    for (const field of present) fields += `${field}\r\n`;
  }
  const bodyHash = hash('sha256', relaxedBody(body), 'base64');

  const signatures = signing.map((key) => {
    if (!DOMAIN.test(key.domain) || !DOMAIN.test(key.selector)) throw new TypeError('Not a domain or selector');
    const place = `d=${key.domain}; s=${key.selector}; t=${Math.floor(now / 1000)}`;
    const unsigned = `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed; ${place}; h=${names.join(': ')}; bh=${bodyHash}; b=`;
    const signature = computeSignature(key, Buffer.from(fields + relaxedField(unsigned), 'latin1')).toString('base64');
    return foldField(unsigned + (signature.match(BASE64_LINE) ?? []).join(' '));
  });
  return Buffer.concat([Buffer.from(signatures.join(''), 'latin1'), message]);
};

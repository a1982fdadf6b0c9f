/** The machine-readable part of a delivery status notification: RFC 3464 section 2, RFC 6533 for addresses beyond ASCII. */

import type { ReportedAction, ReportedRecipient } from './mail-report.ts';

/** Our mails have one recipient each; a host that expanded it may report a few. */
const MAX_RECIPIENTS = 50;
const MAX_DIAGNOSTIC = 1000;
/** More than any address has, with its type and a comment. */
const MAX_TYPED_ADDRESS = 600;
const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);

type Fields = ReadonlyMap<string, string>;

/** Groups of fields, parted by empty lines. */
const groupsOf = (text: string): Fields[] =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.split('\n')) {
        const at = line.indexOf(':');
        const name = line.slice(0, at).trim().toLowerCase();
        if (at > 0 && !fields.has(name)) fields.set(name, line.slice(at + 1).trim());
      }
      return fields;
    });

/** `type; value` (RFC 3464 section 2.1.2). What is written without a type is all value. */
const untyped = (typed: string): string => /^[\w-]{1,40}\s{0,4};(.*)$/s.exec(typed)?.[1]?.trim() ?? typed.trim();

/** RFC 6533 section 3: a character beyond ASCII may be written as \x{HEX}. */
const decodeEscapes = (address: string): string =>
  address.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (written, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : written;
  });

/** An address as it is compared: in lower case, without brackets, comments and routes. */
export const reportedAddress = (typed: string): string =>
  decodeEscapes(untyped(typed.slice(0, MAX_TYPED_ADDRESS)))
    .replace(/^.{0,200}?<([^<>]+)>.*$/s, '$1')
    .replace(/\s*\([^()]*\)\s*$/, '')
    .trim()
    .toLowerCase()
    .slice(0, 320);

/** The reply code and the enhanced code that stand in a text, the latter beside the former where it can be had. */
export const codesIn = (text: string): { code: number | null; enhancedCode: string | null } => {
  const beside = /\b([245]\d\d):?[ -]+\W?([245]\.\d{1,3}\.\d{1,3})\b/.exec(text);
  const code = beside?.[1] ?? /(?:^|[^\d.])([45]\d\d)(?![\d.]|\s*(?:bytes|kb|mb|seconds)\b)/i.exec(text)?.[1];
  const enhancedCode = beside?.[2] ?? /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text)?.[1];
  return { code: code ? Number(code) : null, enhancedCode: enhancedCode ?? null };
};

/** RFC 3464 section 2.3.3 asks for an action. Where it is left out, the status says whether anything failed for good. */
const actionOf = (action: string, status: string | undefined): ReportedAction => {
  const word = /^\w+/.exec(action)?.[0]?.toLowerCase() ?? '';
  // A success is none of our business, whatever it is called.
  if (status?.startsWith('2')) return ACTIONS.has(word) && word !== 'failed' ? (word as ReportedAction) : 'delivered';
  if (ACTIONS.has(word)) return word as ReportedAction;
  if (word !== '') return 'delivered';
  return status?.startsWith('5') ? 'failed' : 'delayed';
};

const recipientOf = (fields: Fields): ReportedRecipient | null => {
  const named = ['final-recipient', 'original-recipient', 'x-actual-recipient']
    .map((name) => reportedAddress(fields.get(name) ?? ''))
    .filter((address) => address !== '');
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0];
  const action = fields.get('action') ?? '';
  if (named.length === 0 && (action === '' || status === undefined)) return null;
  const diagnostic = untyped(fields.get('diagnostic-code') ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_DIAGNOSTIC);
  const said = codesIn(diagnostic);
  return {
    addresses: [...new Set(named)],
    action: actionOf(action, status),
    code: said.code,
    // The host that refused knows better than the one that tells.
    enhancedCode: said.enhancedCode ?? status ?? null,
    diagnostic,
  };
};

/** Reads such a part, whose groups are all looked at: some senders leave out the one about the message. */
export const readDeliveryStatus = (text: string): ReportedRecipient[] =>
  groupsOf(text)
    .map(recipientOf)
    .filter((recipient) => recipient !== null)
    .slice(0, MAX_RECIPIENTS);

/** Parses the machine-readable part of a DSN (RFC 3464 section 2; RFC 6533 for non-ASCII addresses). */

import { localPartOf } from '../../kernel/address.ts';
import type { ReportedAction, ReportedRecipient } from './mail-report.ts';

/** Each delivery has one recipient; a host that expanded it may report a few. */
const MAX_RECIPIENTS = 50;
const MAX_DIAGNOSTIC = 1000;
/** Exceeds any address with its type and a comment. */
const MAX_TYPED_ADDRESS = 600;
const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);

type Fields = ReadonlyMap<string, string>;

/** Splits the part into groups of fields at empty lines. */
const parseGroups = (text: string): Fields[] =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n(?:[ \t]*\n)+/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.split('\n')) {
        const at = line.indexOf(':');
        const name = line.slice(0, at).trim().toLowerCase();
        if (at > 0 && !fields.has(name)) fields.set(name, line.slice(at + 1).trim());
      }
      return fields;
    });

/** Strips the type of `type; value` (RFC 3464 section 2.1.2); a value without a type stays whole. */
const stripType = (typed: string): string => /^[\w-]{1,40}\s{0,4};(.*)$/s.exec(typed)?.[1]?.trim() ?? typed.trim();

/** Decodes \x{HEX} escapes of non-ASCII characters (RFC 6533 section 3). */
const decodeEscapes = (address: string): string =>
  address.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (written, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : written;
  });

/** Normalises an address for comparison: lower case, without brackets, comments and source routes. */
export const reportedAddress = (typed: string): string =>
  decodeEscapes(stripType(typed.slice(0, MAX_TYPED_ADDRESS)))
    .replace(/^.{0,200}?<([^<>]+)>.*$/s, '$1')
    .replace(/\s*\([^()]*\)\s*$/, '')
    .trim()
    .toLowerCase()
    .slice(0, 320);

/** Reads the reply code and the enhanced code in a text; prefers an enhanced code directly after the reply code. */
export const codesIn = (text: string): { code: number | null; enhancedCode: string | null } => {
  const beside = /\b([245]\d\d):?[ -]+\W?([245]\.\d{1,3}\.\d{1,3})\b/.exec(text);
  const code = beside?.[1] ?? /(?:^|[^\d.])([45]\d\d)(?![\d.]|\s*(?:bytes|kb|mb|seconds)\b)/i.exec(text)?.[1];
  const enhancedCode = beside?.[2] ?? /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text)?.[1];
  return { code: code ? Number(code) : null, enhancedCode: enhancedCode ?? null };
};

/** Reads the action, which RFC 3464 section 2.3.3 requires. Where it is missing, a permanent status implies a failure. */
const readAction = (action: string, status: string | undefined): ReportedAction => {
  const word = /^\w+/.exec(action)?.[0]?.toLowerCase() ?? '';
  // A report of success has no effect, whatever its action says.
  if (status?.startsWith('2')) return ACTIONS.has(word) && word !== 'failed' ? (word as ReportedAction) : 'delivered';
  if (ACTIONS.has(word)) return word as ReportedAction;
  if (word !== '') return 'delivered';
  return status?.startsWith('5') ? 'failed' : 'delayed';
};

const readAddresses = (fields: Fields): string[] => {
  const [final, original, actual] = ['final-recipient', 'original-recipient', 'x-actual-recipient'].map((name) =>
    reportedAddress(fields.get(name) ?? ''),
  ) as [string, string, string];
  // Sendmail: the final recipient is an alias, and the actual one its member. A mailbox differs in the host alone.
  const isMember = actual.includes('@') && !actual.startsWith('|') && localPartOf(actual) !== localPartOf(final);
  const named = isMember ? [actual, final, original] : [final, original, actual];
  return [...new Set(named.filter((address) => address !== ''))];
};

const readRecipient = (fields: Fields): ReportedRecipient | null => {
  const addresses = readAddresses(fields);
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0];
  const action = fields.get('action') ?? '';
  if (addresses.length === 0 && (action === '' || status === undefined)) return null;
  const diagnostic = stripType(fields.get('diagnostic-code') ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_DIAGNOSTIC);
  const codes = codesIn(diagnostic);
  return {
    addresses,
    action: readAction(action, status),
    code: codes.code,
    // The rejecting host's code is more precise than the reporting host's status.
    enhancedCode: codes.enhancedCode ?? status ?? null,
    // Without a word it is the exit status of a program.
    diagnostic: /\p{L}/u.test(diagnostic) ? diagnostic : '',
  };
};

/** Parses such a part. Examines every group as a recipient's: some senders omit the per-message group. */
export const readDeliveryStatus = (text: string): ReportedRecipient[] =>
  parseGroups(text)
    .map(readRecipient)
    .filter((recipient) => recipient !== null)
    .slice(0, MAX_RECIPIENTS);

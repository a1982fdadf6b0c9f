/** DNSBL and content scanner results for a mail. A list or scanner that times out counts as no result. */

import type { MailLog } from '../mail-log/mail-log.ts';
import type { ScannedSession } from '../net/http/rspamd.ts';
import type { Arrival } from './arrival.ts';
import type { ContentResults } from './spam-verdict.ts';

export interface ContentNeeds {
  mailLog: MailLog;
  /** The DNSBLs that list an address; null where none is configured. Never rejects. */
  listedIn: ((ip: string) => Promise<string[]>) | null;
  /** Null where no scanner is configured. Never rejects; resolves with null without an answer. */
  scan: ((raw: Uint8Array, session: ScannedSession) => Promise<'PASS' | 'FAIL' | null>) | null;
}

const NONE: ContentResults = { scanner: null, listedIn: [] };

export const fetchContentResults = async (
  { listedIn, scan, mailLog }: ContentNeeds,
  arrival: Arrival,
): Promise<ContentResults> => {
  const { envelope, raw } = arrival;
  // Local mail has passed the sender's gate.
  if (envelope.kind === 'local' || (!listedIn && !scan)) return NONE;
  const { ip, helo, mailFrom, iprevName } = envelope;
  const recipients = arrival.recipients.map(({ recipient }) => recipient.address);
  const [lists, verdict] = await Promise.all([
    listedIn ? listedIn(ip) : [],
    scan ? scan(raw, { ip, helo, mailFrom, recipients, iprevName }) : null,
  ]);
  if (scan && verdict === null) mailLog.record({ mail: 'scanner_away', reason: 'scanner_away', peer: ip });
  return { listedIn: lists, scanner: scan ? { verdict } : null };
};

/** Asks block lists and the scanner about a mail, where any are configured. Nobody's silence loses or stalls it. */

import type { ScannedSession } from '../net/http/rspamd.ts';
import type { Arrival } from './arrival.ts';
import type { ContentResults } from './spam-verdict.ts';

export interface ContentNeeds {
  /** Null where no list is configured. Never rejects. */
  listedIn: ((ip: string) => Promise<string[]>) | null;
  /** Null where no scanner is configured. Never rejects; null where it does not answer. */
  scan: ((raw: Uint8Array, session: ScannedSession) => Promise<'PASS' | 'FAIL' | null>) | null;
}

const NONE: ContentResults = { scanner: null, listedIn: [] };

export const fetchContentResults = async (
  { listedIn, scan }: ContentNeeds,
  arrival: Arrival,
): Promise<ContentResults> => {
  const { envelope, raw } = arrival;
  // Mail between agents of the box passed the gate of the sender.
  if ('local' in envelope || (!listedIn && !scan)) return NONE;
  const { ip, helo, mailFrom, iprevName } = envelope;
  const recipients = arrival.recipients.map(({ recipient }) => recipient.address);
  const [lists, verdict] = await Promise.all([
    listedIn ? listedIn(ip) : [],
    scan ? scan(raw, { ip, helo, mailFrom, recipients, iprevName }) : null,
  ]);
  return { listedIn: lists, scanner: scan ? { verdict } : null };
};

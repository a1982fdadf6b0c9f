/** Asks block lists and the scanner about a mail, where any are configured. Nobody's silence loses or stalls it. */

import type { ScannedSession } from '../net/http/rspamd.ts';
import type { Arrival } from './arrival.ts';
import type { Opinions } from './spam-verdict.ts';

export interface OpinionNeeds {
  /** Null where no list is configured. Never rejects. */
  listedIn: ((ip: string) => Promise<string[]>) | null;
  /** Null where no scanner is configured. Never rejects; null where it does not answer. */
  scan: ((raw: Uint8Array, session: ScannedSession) => Promise<'PASS' | 'FAIL' | null>) | null;
}

const NONE: Opinions = { scanner: null, listedIn: [] };

export const gatherOpinions = async ({ listedIn, scan }: OpinionNeeds, arrival: Arrival): Promise<Opinions> => {
  const { envelope, raw, destinations } = arrival;
  // Mail between agents of the box passed the gate of the sender.
  if ('local' in envelope || (!listedIn && !scan)) return NONE;
  const { ip, helo, mailFrom, iprevName } = envelope;
  const recipients = destinations.map(({ recipient }) => recipient.address);
  const [lists, verdict] = await Promise.all([
    listedIn ? listedIn(ip) : [],
    scan ? scan(raw, { ip, helo, mailFrom, recipients, iprevName }) : null,
  ]);
  return { listedIn: lists, scanner: scan ? { verdict } : null };
};

/** How many descriptors the process may open, and how many of them connections may take. */

import { readFileSync } from 'node:fs';

/** The soft limit, which Node raises to the hard one at its start; null where the system does not tell (no Linux). */
export const descriptorLimit = (): number | null => {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
};

export interface ConnectionCounts {
  readonly smtp: number;
  readonly http: number;
}

/**
 * What is wanted, made smaller in proportion where the descriptors do not suffice.
 * @param reserve kept back for the store, deliveries, webhooks and DNS
 */
export const fitConnections = (wanted: ConnectionCounts, limit: number | null, reserve: number): ConnectionCounts => {
  const all = wanted.smtp + wanted.http;
  const room = limit === null ? all : Math.max(limit - reserve, 2);
  if (all <= room) return wanted;
  const smtp = Math.max(1, Math.floor((room * wanted.smtp) / all));
  return { smtp, http: Math.max(1, room - smtp) };
};

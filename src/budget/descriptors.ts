/** Fits the connection limits to the process's file descriptors. */

import { readFileSync } from 'node:fs';

/**
 * Returns the soft limit, which Node raises to the hard one at its start; null where the system does not report it
 * (only Linux does).
 */
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
 * Scales the limits down in proportion where descriptors do not suffice.
 * @param reserve descriptors for the store, deliveries, webhooks and DNS
 */
export const fitConnections = (
  configured: ConnectionCounts,
  limit: number | null,
  reserve: number,
): ConnectionCounts => {
  const total = configured.smtp + configured.http;
  const available = limit === null ? total : Math.max(limit - reserve, 2);
  if (total <= available) return configured;
  const smtp = Math.max(1, Math.floor((available * configured.smtp) / total));
  return { smtp, http: Math.max(1, available - smtp) };
};

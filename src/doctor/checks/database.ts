/** The database server, where the data is in one. */

import { SECOND } from '../../kernel/clock.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';

/** Leases and retries go by this machine's clock, what people read in the database by the server's. */
const LARGE_OFFSET_MS = 2 * SECOND;

const PLAIN = 'is not encrypted: others on the network between can read mail, and change it.';
const ENCRYPT =
  'Add `?sslmode=verify-full` to [storage] url, and `&sslrootcert=` for an authority of your own. Where a VPN encrypts the way, leave it.';

export const checkDatabase: Check = async ({ examineServer, isServing, ownAddresses }) => {
  const state = await examineServer();
  if (state === null) return [];
  const { version, fault, clockOffset, lockedFrom, others, plainTo } = state;
  if (fault !== null) return [fail('database', fault, 'Do what it says, then start the daemon again.')];
  const findings: Finding[] = [];
  if (Math.abs(clockOffset) > LARGE_OFFSET_MS) {
    const told = `The server's clock is ${(Math.abs(clockOffset) / SECOND).toFixed(1)} s ${clockOffset < 0 ? 'behind' : 'ahead of'} this one.`;
    findings.push(warn('database', told, 'Keep both by NTP.'));
  }
  if (lockedFrom !== null && !isServing) {
    const told = `A daemon that connects from ${lockedFrom} works on the database: this box would be one more of its installation.`;
    findings.push(warn('database', told, 'Start it only where that is meant.'));
  }
  if (plainTo !== null && !ownAddresses.includes(plainTo)) {
    findings.push(warn('database', `The connection to ${plainTo} ${PLAIN}`, ENCRYPT));
  }
  const boxes = others.length > 0 ? `; another box serves on ${others.join(', ')}` : '';
  return findings.length > 0 ? findings : [ok('database', `PostgreSQL ${version}${boxes}`)];
};

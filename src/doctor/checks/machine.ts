/** The machine: the data directory, the disk, the clock. */

import { statSync } from 'node:fs';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Check, DoctorNeeds } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

const OTHERS = 0o077;
const GIB = 1024 ** 3;
/** Warns well before `[smtp] min_free_bytes`, below which mail is refused. */
const LITTLE_SPACE = 2 * GIB;
const SMALL_OFFSET_MS = 30 * SECOND;
/** DKIM signatures and one-time codes fail by more. */
const LARGE_OFFSET_MS = 5 * MINUTE;

const checkFolder = ({ data_dir: folder }: DoctorNeeds['config']): Finding => {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return fail('data_dir', `${folder} is not there.`, 'Start the daemon, which makes it.');
  return (found.mode & OTHERS) === 0
    ? ok('data_dir', folder)
    : warn('data_dir', `Other users of this machine can enter ${folder}.`, `chmod 700 ${folder}`);
};

const checkDisk = async ({ config, freeSpace }: DoctorNeeds): Promise<Finding> => {
  const { free, total } = await freeSpace(config.data_dir);
  const told = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB free`;
  const isShort = free < config.smtp.min_free_bytes;
  if (config.storage.url.engine !== 'sqlite') {
    const here = `${told} for the mail log and certificates; PostgreSQL's disk is not seen from here.`;
    return isShort ? warn('disk', here, 'Free some.') : ok('disk', here);
  }
  if (isShort) {
    return fail('disk', `${told}: mail is refused with 452.`, 'Free some, or move data_dir to a larger disk.');
  }
  return free < LITTLE_SPACE ? warn('disk', told, 'Free some before mail is refused.') : ok('disk', told);
};

const checkClock = async ({ clockOffset }: DoctorNeeds): Promise<Finding> => {
  const offset = await clockOffset();
  if (offset === null) return skipped('clock', 'No other clock could be asked.');
  const told = `${Math.round(Math.abs(offset) / SECOND)} s ${offset < 0 ? 'behind' : 'ahead of'} the network`;
  const fix = 'Keep it by NTP: apt-get install systemd-timesyncd';
  if (Math.abs(offset) > LARGE_OFFSET_MS) return fail('clock', told, fix);
  return Math.abs(offset) > SMALL_OFFSET_MS ? warn('clock', told, fix) : ok('clock', told);
};

export const checkMachine: Check = async (needs) => [
  checkFolder(needs.config),
  await checkDisk(needs),
  await checkClock(needs),
];

/** Warnings about the config that do not prevent the start. */

import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { getPublicSuffix } from 'tldts';
import type { Config } from '../config/config.ts';
import { isWithin } from '../kernel/address.ts';
import { isPrivateAddress } from '../net/ip/address-range.ts';

/** Valid config values that are probably mistakes, by key. */
export const findConfigWarnings = ({ hostname, base_domain: base, http }: Config): { key: string; text: string }[] => {
  const isLocal = (name: string) => isWithin(name, 'localhost');
  const warnings: { key: string; text: string }[] = [];
  if (!hostname.includes('.') && !isLocal(hostname)) {
    const text = `"${hostname}" has no dot: other mail hosts refuse a greeting by a name that is not in the public DNS.`;
    warnings.push({ key: 'hostname', text });
  }
  if (!isLocal(base) && getPublicSuffix(base, { allowPrivateDomains: true }) === base) {
    const text = `"${base}" is a public suffix, under which others register their domains: take a domain of yours.`;
    warnings.push({ key: 'base_domain', text });
  }
  const { host } = http.private_listen;
  if (isUnspecified(host) || (isIP(host) !== 0 && !isPrivateAddress(host))) {
    const text = `${host} can be reached from outside: metrics are shown to everyone. Take 127.0.0.1:8026.`;
    warnings.push({ key: 'http.private_listen', text });
  }
  return warnings;
};

const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::';

export const warnOfConfig = (config: Config, log: { warn(fields: object, message: string): void }): void => {
  for (const { key, text } of findConfigWarnings(config))
    log.warn({ key, doubt: text }, 'the config says what is hardly meant');
  const mode = readOpenMode(config.data_dir);
  if (mode !== null) {
    const fix = `chmod 700 ${config.data_dir}`;
    log.warn({ data_dir: config.data_dir, mode, fix }, 'other users of this machine can enter the data directory');
  }
};

const OTHERS = 0o077;

/** Returns the mode, as `0755`, of a directory that other users may enter or read; null where they may not. */
const readOpenMode = (directory: string): string | null => {
  const { mode } = statSync(directory);
  return (mode & OTHERS) === 0 ? null : (mode & 0o7777).toString(8).padStart(4, '0');
};

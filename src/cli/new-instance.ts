/** The files of a new instance: its config and the vault's key. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeKeyFile } from '../seal/key-file.ts';
import { refused } from './failure.ts';

export interface NewInstance {
  hostname: string;
  baseDomain: string;
  /** Null: https:// and the hostname. */
  publicUrl: string | null;
  /** Absolute, as is keyFile. */
  dataDir: string;
  keyFile: string;
}

/** TOML's basic strings (TOML 1.0, "String") take every escape that JSON writes. */
export const tomlString = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

export const configText = ({ hostname, baseDomain, publicUrl, dataDir, keyFile }: NewInstance): string => `\
# Postroom's config, written by \`postroom init\`. A change needs a restart.
# What is not here has its default; config/postroom.example.toml explains every key.

# The name of this machine in mail. Its A and AAAA records and the PTR record of its addresses must agree with it.
hostname = ${tomlString(hostname)}

# Each workspace gets a subdomain of this: agent@workspace.${baseDomain}
base_domain = ${tomlString(baseDomain)}

# Where clients reach the HTTP interface. Left out: https:// and the hostname.
${publicUrl === null ? '# ' : ''}public_url = ${tomlString(publicUrl ?? `https://${hostname}`)}

# The database, and all else the daemon writes.
data_dir = ${tomlString(dataDir)}

[vault]
# Without this file no secret can be read: back it up, apart from the data.
key_file = ${tomlString(keyFile)}

[tls]
# acme, files (with cert_file and key_file), or off: for a loopback http.listen, or behind http.trusted_proxies.
mode = "acme"
`;

/** Writes a new config to disk (fsync), mode 0640: a smarthost's password stands in it. */
const writeNewConfig = (path: string, text: string): void => {
  const file = openSync(path, 'wx', 0o640);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/**
 * Writes config and key, or neither.
 * @throws {CommandError} where one of them is there
 */
export const writeNewInstance = (configFile: string, config: string, keyFile: string): void => {
  const there = [configFile, keyFile].filter((path) => existsSync(path));
  if (there.length > 0) throw refused(`There already: ${there.join(', ')}. Nothing was written.`);
  for (const path of [configFile, keyFile]) mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeKeyFile(keyFile);
  try {
    writeNewConfig(configFile, config);
  } catch (error) {
    // It has sealed nothing yet, and would stand in the way of the next attempt.
    rmSync(keyFile);
    throw error;
  }
};

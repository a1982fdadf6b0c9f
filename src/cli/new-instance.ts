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
  /** An absolute path, like keyFile. */
  dataDir: string;
  keyFile: string;
  /** The destination of mail to postmaster@ and similar addresses; null: none yet. */
  operatorAddress: string | null;
  /** Whether agents may sign up without the operator. */
  opensSignup: boolean;
  /** Whether a web server on this machine has ports 80 and 443 and forwards HTTP. */
  isBehindProxy: boolean;
  /** Whether it runs unprivileged in a container. The engine publishes its high ports as 25, 80 and 443. */
  isInContainer: boolean;
  /**
   * Null: the built-in DNS server does not run. Else the host's addresses, which it serves where its name is in the
   * zone.
   */
  dnsHostAddresses: readonly string[] | null;
}

/** Answers for the zone of the base domain, once the zone above names this host in one NS record. */
const dnsServer = (hostAddresses: readonly string[]): string => `
[dns.server]
# UDP and TCP. Where a resolver of the system holds port 53, name the public address in place of [::].
listen = ["[::]:53"]
${
  hostAddresses.length === 0
    ? ''
    : `host_addresses = [${hostAddresses.map(tomlString).join(', ')}]
`
}`;

/** The address at which a web server on this machine reaches the instance. */
const BEHIND_PROXY = `\
[http]
# The web server on this machine passes on to it what comes for the hostname.
listen = ["127.0.0.1:8080"]
trusted_proxies = ["127.0.0.0/8", "::1/128"]

[tls]
# The web server has the certificate.
mode = "off"
`;

/** Ports that need no privilege; the container's engine publishes them as 443, 80 and 25. */
const IN_CONTAINER = `\
[http]
listen = ["[::]:8443"]

[smtp]
listen = ["[::]:2525"]

[tls]
mode = "acme"
http_listen = ["[::]:8080"]
`;

const OWN_TLS = `\
[tls]
# acme, files (with cert_file and key_file), or off: for a loopback http.listen, or behind http.trusted_proxies.
mode = "acme"
`;

/** TOML's basic strings (TOML 1.0, "String") accept every escape of JSON. */
export const tomlString = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

export const configText = ({ hostname, baseDomain, publicUrl, dataDir, keyFile, ...given }: NewInstance): string => `\
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

[operator]
# Mail to postmaster@, abuse@ and hostmaster@, and reports about the hostname and base_domain, are passed on to it.
address = ${tomlString(given.operatorAddress ?? '')}

[vault]
# Without this file no secret can be read: back it up, apart from the data.
key_file = ${tomlString(keyFile)}

[signup]
# Whether agents make workspaces for themselves by POST /v1/signup, without the operator.
open = ${given.opensSignup}

${given.isBehindProxy ? BEHIND_PROXY : given.isInContainer ? IN_CONTAINER : OWN_TLS}${given.dnsHostAddresses ? dnsServer(given.dnsHostAddresses) : ''}`;

/** Writes a new config to disk (fsync), mode 0640, because it may contain a smarthost's password. */
export const writeNewConfig = (path: string, text: string): void => {
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
 * @throws {CommandError} where one of them exists
 */
export const writeNewInstance = (configFile: string, config: string, keyFile: string): void => {
  const there = [configFile, keyFile].filter((path) => existsSync(path));
  if (there.length > 0) throw refused(`There already: ${there.join(', ')}. Nothing was written.`);
  for (const path of [configFile, keyFile]) mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeKeyFile(keyFile);
  try {
    writeNewConfig(configFile, config);
  } catch (error) {
    // The new key has sealed nothing, and would block the next attempt.
    rmSync(keyFile);
    throw error;
  }
};

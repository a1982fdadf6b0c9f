/** Finds the config file. Beside the daemon's start, only this file reads the environment. */

import { accessSync, constants, existsSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError, type ConfigProblem, parseConfig } from '../config/config-text.ts';
import { parseValidPart } from '../config/valid-part.ts';
import { codeOf } from '../kernel/text/message-of.ts';
import { KEY_BYTES } from '../seal/key-file.ts';
import { refused } from './failure.ts';
import type { ServiceManagerSettings } from './service/service-manager.ts';

const SYSTEM_CONFIG = '/etc/postroom/postroom.toml';
export const CHECKOUT_CONFIG = 'config/postroom.toml';

export interface ConfigSource {
  /** The value of `--config`. */
  readonly flag?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    throw new ConfigError(path, [{ key: '', line: 0, expected: `cannot be read (${code})` }], { cause: error });
  }
};

/** Name of the vault's key among systemd's credentials: `LoadCredential=vault.key:/etc/postroom/vault.key`. */
const VAULT_CREDENTIAL = 'vault.key';

/**
 * A vault's key that systemd passes to the service precedes the file that the config names. What is shorter than a key is
 * the unit's `SetCredential=`, without which a missing file stops the service before it begins.
 */
const withCredential = (config: Config, { env = process.env }: ConfigSource): Config => {
  if (!env.CREDENTIALS_DIRECTORY) return config;
  const credential = join(env.CREDENTIALS_DIRECTORY, VAULT_CREDENTIAL);
  const { size = 0 } = statSync(credential, { throwIfNoEntry: false }) ?? {};
  return size >= KEY_BYTES
    ? { ...config, vault: { key_file: credential, is_credential: true, configured_file: config.vault.key_file } }
    : config;
};

/** The absolute paths that are tried, in order; only one where it is named. */
const listCandidates = ({ flag, env = process.env, cwd = process.cwd() }: ConfigSource): string[] => {
  const named = flag ?? (env.POSTROOM_CONFIG || undefined);
  return (named === undefined ? [SYSTEM_CONFIG, CHECKOUT_CONFIG] : [named]).map((path) => resolve(cwd, path));
};

/**
 * Finds, reads and checks the config: `--config`, else `$POSTROOM_CONFIG`, else /etc/postroom/postroom.toml, else
 * ./config/postroom.toml. A named file that is missing is an error; the search ends there.
 * @returns the config, its text, and the absolute path it was read from
 * @throws {ConfigError} where there is no file, or none that can be used
 */
export const loadConfig = (source: ConfigSource = {}): { config: Config; path: string; toml: string } => {
  const { toml, path } = readConfigFile(source);
  return { config: withCredential(parseConfig(toml, path), source), path, toml };
};

/** As {@link loadConfig}, but wrong keys get their default. `config` is null where that is not possible. */
export const loadValidPart = (
  source: ConfigSource = {},
): { config: Config | null; path: string; problems: readonly ConfigProblem[] } => {
  const { toml, path } = readConfigFile(source);
  const { config, problems } = parseValidPart(toml, path);
  return { config: config && withCredential(config, source), path, problems };
};

/** @throws {ConfigError} where there is no file */
const readConfigFile = (source: ConfigSource): { toml: string; path: string } => {
  const candidates = listCandidates(source);
  for (const path of candidates) {
    const toml = readIfThere(path);
    if (toml !== null) return { toml, path };
  }
  const expected = 'no such file; `postroom init` writes one, `--config` names one';
  throw new ConfigError(candidates.join(', '), [{ key: '', line: 0, expected }]);
};

/**
 * The place for a new config: the named one, else the first writable of the searched paths, which is
 * /etc/postroom/postroom.toml for root and ./config/postroom.toml for others.
 * @throws {CommandError} where a config exists already: the second one would not be read, or would hide the first
 */
export const placeForNewConfig = (source: ConfigSource = {}): string => {
  const candidates = listCandidates(source);
  const there = candidates.find((path) => existsSync(path));
  if (there !== undefined) throw refused(`There is a config already: ${there}. Nothing was written.`);
  const last = candidates.at(-1) ?? CHECKOUT_CONFIG;
  return candidates.find(mayWrite) ?? last;
};

/** Set by systemd for the service itself, not for processes that the service starts. */
export const serviceManagerInEnvironment = (): ServiceManagerSettings => {
  const period = Number(process.env.WATCHDOG_USEC) / 1000;
  const isForUs = process.env.WATCHDOG_PID === undefined || Number(process.env.WATCHDOG_PID) === process.pid;
  return { listens: Boolean(process.env.NOTIFY_SOCKET), watchdogMs: isForUs && period > 0 ? period : null };
};

/** Whether stdout leads to journald, which systemd names by device and inode (systemd.exec(5), $JOURNAL_STREAM). */
export const isJournalOnStdout = (): boolean => {
  if (!process.env.JOURNAL_STREAM) return false;
  const { dev, ino } = fstatSync(1);
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`;
};

/** The key for the bridge; null where there is none. */
export const apiKeyInEnvironment = (): string | null => process.env.POSTROOM_API_KEY?.trim() || null;

/** Decided by the nearest existing parent folder. */
const mayWrite = (path: string): boolean => {
  const folder = dirname(path);
  if (!existsSync(folder)) return folder !== dirname(folder) && mayWrite(folder);
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

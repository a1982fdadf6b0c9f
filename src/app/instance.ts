/** The instance, as the daemon and the CLI open it: store, vault key, ids and plans. */

import { createSecretKey } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { createActivityLog } from '../activity/activity-log.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-text.ts';
import { type Plans, parsePlans } from '../config/plans.ts';
import { type Clock, type RandomBytes, systemClock } from '../kernel/clock.ts';
import { PROJECT_ROOT } from '../kernel/files/project-root.ts';
import { createIdSource } from '../kernel/ids.ts';
import type { EmbeddingLimits } from '../knowledge/embeddings/embedding-limits.ts';
import type { KnowledgeLimits } from '../knowledge/knowledge-limits.ts';
import { deriveKey } from '../seal/derive.ts';
import { release } from '../seal/guarded-memory.ts';
import { findBaseDomain, findDomain } from '../store/accounts/domains.ts';
import { openStore } from '../store/open-store.ts';
import type { Db, OpenOptions, Store } from '../store/store.ts';
import { findKeptConfig } from '../vault/kept-config.ts';
import { createLeakGuard } from '../vault/leak-guard.ts';
import type { MasterKeyFile } from '../vault/master-key.ts';
import { createVault } from '../vault/vault.ts';
import { openInstanceKey, openVaultKeys, type VaultKeys } from '../vault/vault-keys.ts';
import type { Schedule } from './jobs.ts';
import { resealLegacy } from './reseal-legacy.ts';
import { StartError } from './start-error.ts';

/** The process's environment that a test replaces: clock, randomness, ports. */
export interface Runtime {
  clock: Clock;
  random: RandomBytes;
  /** Returns a number in [0, 1). */
  fraction: () => number;
  /** Port from which MTA-STS policies are fetched; 443 outside tests (RFC 8461 section 3.3). */
  policyPort: number;
  /** When the recurring jobs run; left out, by the system clock. */
  schedule?: Schedule;
  /** Limits of crawls that only tests set. */
  knowledge?: Partial<KnowledgeLimits>;
  /** The same of an endpoint for embeddings. */
  embeddings?: Partial<EmbeddingLimits>;
  /** Parses each answer by its contract; for tests. */
  checksOutput?: boolean;
  /** The config as it is written, which is kept for further boxes; left out: it is not. */
  configText?: string;
  /** Options of the store: how one daemon follows another, and what only tests set. */
  store?: Pick<OpenOptions, 'succession' | 'repeatEvery' | 'onQuery'>;
}

/** Random bytes drawn at once. An id needs a few, and a call into the system's source costs more than a block. */
const RANDOM_BLOCK = 4096;

function pooledRandom(): RandomBytes {
  let block = new Uint8Array(0);
  let used = 0;
  return (size) => {
    if (size > RANDOM_BLOCK) return crypto.getRandomValues(new Uint8Array(size));
    if (used + size > block.length) {
      block = crypto.getRandomValues(new Uint8Array(RANDOM_BLOCK));
      used = 0;
    }
    used += size;
    // A copy, so that a later block does not change it.
    return block.slice(used - size, used);
  };
}

export const systemRuntime: Runtime = {
  clock: systemClock,
  random: pooledRandom(),
  fraction: Math.random,
  policyPort: 443,
};

export interface InstanceOptions {
  runtime?: Runtime;
  /** Whether to hold the lock of the data directory until the instance is closed, as the daemon does. */
  lock?: boolean;
  /** Whether a data file of an older version is brought up, as the daemon does; left out: it is refused. */
  migrates?: boolean;
  /** Of a command, which may write much beside the daemon: pauses between its transactions. */
  givesWay?: boolean;
  /** Told where work of the store fails that nothing waits for. */
  onStoreFault?: (error: unknown) => void;
}

export type Instance = Awaited<ReturnType<typeof openInstance>>;

/**
 * Opens the store, creating the data directory where there is none.
 * @throws LockedError, SchemaError; KeyFileError where the vault's key file has a wrong mode or content
 */
export const openInstance = async (
  config: Config,
  { runtime = systemRuntime, lock = false, migrates = false, givesWay, onStoreFault }: InstanceOptions = {},
) => {
  const plans = readPlans(config);
  mkdirSync(config.data_dir, { recursive: true, mode: 0o700 });
  const store = await openStore(config.storage.url, {
    ...runtime.store,
    now: runtime.clock.now(),
    schema: migrates ? 'migrate' : 'require',
    givesWay,
    ...(lock && { lockIn: config.data_dir, admit: (read) => requireSameInstallation(config, read) }),
    ...(onStoreFault && { onFault: onStoreFault }),
  });
  const vaultKeys = await openKeys(config, store, runtime);
  const { instanceKey: vaultKey } = vaultKeys;
  const newId = createIdSource(runtime.clock, runtime.random);
  const leakGuard = createLeakGuard(vaultKeys);
  const activityKey = vaultKey && createSecretKey(deriveKey(vaultKey, 'activity log'));
  return {
    config,
    store,
    vaultKeys,
    /**
     * Seals DKIM keys and webhook secrets. Null where the key file is missing or does not fit: mail is read and stored,
     * but no sealed value opens.
     */
    vaultKey,
    vault: createVault({ keys: vaultKeys, leakGuard, clock: runtime.clock, newId }),
    leakGuard,
    newId,
    activity: createActivityLog({ clock: runtime.clock, newId }, activityKey),
    activityKey,
    plans,
    runtime,
    close: () => store.close(),
  };
};

/** Reads the plans from the configured file, or from the one that Postroom ships. @throws {ConfigError} */
const readPlans = ({ plans }: Config): Plans => {
  const file = plans.file ?? fileURLToPath(new URL('config/plans.toml', PROJECT_ROOT));
  try {
    return parsePlans(readFileSync(file, 'utf8'), file);
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new ConfigError(file, [{ key: '', line: 0, expected: `[plans] file cannot be read: ${cause.message}` }], {
      cause,
    });
  }
};

const toKeyFile = ({ vault }: Config): MasterKeyFile => {
  const { key_file: path, is_credential: isCredential, configured_file: configured } = vault;
  return { path, isCredential, ...(configured !== undefined && { configured }) };
};

/** Checks a box that joins another. @throws {StartError} where it could sign no mail, or would tell people other names */
const requireSameInstallation = async (config: Config, read: Db): Promise<void> => {
  const file = toKeyFile(config);
  const key = await openInstanceKey(read, file);
  if (!key) {
    throw new StartError(
      `vault.key_file: ${file.configured ?? file.path} is missing, or is not the key of this installation. Copy it from the box that serves.`,
    );
  }
  const kept = await findKeptConfig(read, key);
  release(key);
  const hostname = kept === null ? undefined : parse(kept).hostname;
  if (typeof hostname !== 'string' || hostname.toLowerCase() === config.hostname) return;
  throw new StartError(
    `hostname: it is ${config.hostname} here, and ${hostname} on the box that leads. It is the same on all: stop all boxes to change it.`,
  );
};

/**
 * The instance's own senders are at the base domain that the data began with.
 * @throws ConfigError
 */
const requireSameBase = async ({ base_domain: base }: Config, read: Db): Promise<void> => {
  if (await findDomain(read, base)) return;
  const other = await findBaseDomain(read);
  if (!other) return;
  const expected = `${other}, which the data began with; another one wants data of its own`;
  throw new ConfigError('config', [{ key: 'base_domain', line: 0, expected }]);
};

const openKeys = async (config: Config, store: Store, { clock }: Runtime): Promise<VaultKeys> => {
  try {
    await requireSameBase(config, store.read);
    return await openVaultKeys({ store, clock, file: toKeyFile(config), resealLegacy });
  } catch (error) {
    await store.close();
    throw error;
  }
};

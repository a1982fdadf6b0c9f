/** The data file, its lock, and what it has once per installation: the return-path key, the push key and the system agents. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BounceRules, parseBounceRules } from '../config/bounce-rules.ts';
import type { Config } from '../config/config.ts';
import { PROJECT_ROOT } from '../kernel/files/project-root.ts';
import type { Log } from '../kernel/log.ts';
import { openVapidKey } from '../notices/push/vapid.ts';
import {
  CLAIMS,
  ensureSystemAgent,
  NOTICES,
  OPERATOR_MAIL,
  ROLE_MAIL,
  TLS_REPORTS,
} from '../resources/workspaces/system-senders.ts';
import { findSetting, insertSettingOnce } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import { keepConfig } from '../vault/kept-config.ts';
import { openInstance, type Runtime } from './instance.ts';
import type { Part } from './part.ts';
import { warnOfConfig } from './start-warnings.ts';

/** Setting of the key that authenticates return paths. */
const RETURN_PATH_KEY = 'return-path-key';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** @throws {LockedError} where another daemon holds the lock of the data directory */
export const openStorage = async (config: Config, log: Log, runtime: Runtime) => {
  const onStoreFault = (err: unknown) => log.warn({ err }, 'the search index could not be written; it is tried again');
  const bounceRules = readBounceRules();
  const instance = await openInstance(config, { runtime, lock: true, migrates: true, onStoreFault });
  warnOfConfig(config, log);
  const { store, vaultKey, newId } = instance;
  const provision = vaultKey && { store, clock: runtime.clock, newId, vaultKey, baseDomain: config.base_domain };
  if (!provision) {
    const state = await instance.vaultKeys.state(store.read);
    const why = state === 'missing' ? "the vault's key is missing" : "the vault's key file does not fit the data";
    log.warn({ key_file: config.vault.key_file }, `${why}: nothing can be signed or opened`);
  }
  return {
    ...instance,
    bounceRules,
    /** Null where the vault key is missing: their mail could not be signed. */
    systemAgents: provision && {
      notices: await ensureSystemAgent(provision, NOTICES),
      roleMail: await ensureSystemAgent(provision, ROLE_MAIL),
      operatorMail: await ensureSystemAgent(provision, OPERATOR_MAIL),
      claims: await ensureSystemAgent(provision, CLAIMS),
      tlsReports: await ensureSystemAgent(provision, TLS_REPORTS),
    },
    returnPathKey: await ensureReturnPathKey(store),
    /** For push services (VAPID); null without the vault's key. */
    pushKey: vaultKey && (await openVapidKey(store, vaultKey, config.base_domain)),
    /** Rejects where the data file cannot be read. */
    check: async () => void (await findSetting(store.read, RETURN_PATH_KEY)),
    stop: instance.close,
  };
};

/** For further boxes. */
export const createKeptConfig = ({ store, vaultKey, runtime: { configText } }: Storage): Part => ({
  start: async () => {
    if (vaultKey && configText !== undefined) await keepConfig(store, vaultKey, configText);
  },
});

/** Reads the bounce rules: one table for all installations, without a config key. */
const readBounceRules = (): BounceRules => {
  const file = fileURLToPath(new URL('config/bounce-rules.toml', PROJECT_ROOT));
  return parseBounceRules(readFileSync(file, 'utf8'), file);
};

/** Generated at the first start. */
const ensureReturnPathKey = async (store: Store): Promise<Buffer> => {
  await store.write((tx) => insertSettingOnce(tx, RETURN_PATH_KEY, randomBytes(32)));
  const key = await findSetting(store.read, RETURN_PATH_KEY);
  if (!key) throw new Error(`The setting ${RETURN_PATH_KEY} was not kept.`);
  return key;
};

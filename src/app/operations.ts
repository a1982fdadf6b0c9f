/** The needs of every operation, in the daemon and at the command line. */

import { createDispatch } from '../access/dispatch.ts';
import { createIdempotency } from '../access/idempotency.ts';
import { createOwnerSessions } from '../access/owner-sessions.ts';
import { createWorkUnderWay } from '../budget/work-under-way.ts';
import { dataFilesOf } from '../store/data-files.ts';
import { createRequireNoSecret } from '../vault/require-no-secret.ts';
import { toMailHost } from './domains/mail-host.ts';
import type { Instance } from './instance.ts';

export const toInstanceNeeds = (instance: Instance) => {
  const { config, store, newId, plans, vault, vaultKey, activity, activityKey, leakGuard, runtime } = instance;
  const { clock, random } = runtime;
  return {
    ...toMailHost(config),
    store,
    clock,
    newId,
    random,
    plans,
    vault,
    vaultKey,
    vaultKeyFile: config.vault.key_file,
    activity,
    activityKey,
    baseDomain: config.base_domain,
    publicUrl: config.public_url,
    isLocalOnly: config.outbound.local_only,
    boxes: dataFilesOf(config.storage.url),
    operatorAddress: config.operator.address,
    ownerSessions: createOwnerSessions(store, clock),
    underWay: createWorkUnderWay(clock, config.data_dir),
    requireNoSecret: createRequireNoSecret(leakGuard, store.read),
  };
};

export const createInstanceDispatch = ({ store, activity, runtime }: Instance) =>
  createDispatch(
    { read: store.read, idempotency: createIdempotency(store, runtime.clock), activity },
    runtime.checksOutput,
  );

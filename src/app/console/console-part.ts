/** What the owners' console calls: every operation of persons, in the daemon, as the owner of a session. */

import type { Dispatch } from '../../access/dispatch.ts';
import { createOwnerSessions } from '../../access/owner-sessions.ts';
import { type Config, servedZone } from '../../config/config.ts';
import type { EventFeed } from '../../events/feed.ts';
import { bindOwnerOperations, bindPersonOperations } from '../../resources/index.ts';
import { ownerContracts } from '../../resources/owner-contracts.ts';
import { createPasskeys } from '../../resources/owners/passkeys.ts';
import { createSignIn } from '../../resources/owners/sign-in.ts';
import { personContracts } from '../../resources/person-contracts.ts';
import { createRequireNoSecret } from '../../vault/require-no-secret.ts';
import type { Domains } from '../domains/domains-part.ts';
import { toMailHost } from '../domains/mail-host.ts';
import { createInstanceActs } from '../instance-acts/instance-acts.ts';
import type { Knowledge } from '../knowledge/knowledge-part.ts';
import type { Network } from '../network.ts';
import type { NoticesPart } from '../notices.ts';
import type { Outbound } from '../outbound.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';
import type { Webhooks } from '../webhooks.ts';

export interface ConsoleParts {
  storage: Storage;
  processing: Processing;
  outbound: Outbound;
  notices: NoticesPart;
  domains: Domains;
  network: Network;
  knowledge: Knowledge;
  webhooks: Webhooks;
}

export const createConsole = (
  config: Config,
  { storage, network, processing, outbound, notices, domains, knowledge, webhooks }: ConsoleParts,
  { dispatch, feed }: { dispatch: Dispatch; feed: EventFeed },
) => {
  const { store, newId, plans, vault, vaultKey, activity, activityKey, runtime } = storage;
  const { clock, random } = runtime;
  const { budget, events, workers, onError } = processing;
  const { base_domain: baseDomain, public_url: publicUrl, hostname } = config;
  const { local_only: isLocalOnly } = config.outbound;
  const sessions = createOwnerSessions(store, clock);
  const persons = bindPersonOperations({
    ...{ store, clock, newId, random, plans, events, vault, vaultKey, activityKey, baseDomain, publicUrl, workers },
    ...toMailHost(config),
    review: outbound.heldDecisions,
    editHeld: outbound.editHeld,
    checks: domains.checks,
    ownerSessions: sessions,
    vaultKeyFile: config.vault.key_file,
    ...{ searches: budget.searches, findAddresses: network.findAddresses, wakeIndexer: knowledge.wake },
    toQueryVector: knowledge.toQueryVector,
    readImported: (task) => workers.run(task),
  });
  const owners = bindOwnerOperations({
    ...{ newId, random, vault, webhooks, onError, findAddresses: network.findAddresses },
    requireNoSecret: createRequireNoSecret(storage.leakGuard, store.read),
    instanceActs: createInstanceActs(config, storage),
    toVectors: knowledge.toVectors,
    ...{ store, clock, plans, events, workers, searches: budget.searches, searchSeconds: config.budget.search_seconds },
    ...{ publicUrl, baseDomain, isLocalOnly, writeNotice: notices.write },
    ...{ sendOwn: outbound.send, postmaster: storage.systemAgents?.operatorMail ?? null },
  });
  return {
    ...{ publicUrl, hostname, isLocalOnly, clock, sessions, dispatch, feed },
    servedZone: servedZone(config),
    operations: [...persons, ...owners],
    contracts: { ...personContracts, ...ownerContracts },
    passkeys: createPasskeys({
      ...{ store, clock, activity, publicUrl, ownerSessions: sessions },
      writeNotice: notices.write,
    }),
    signIn: createSignIn({
      ...{ store, clock, newId, activity, publicUrl, baseDomain },
      ownerSessions: sessions,
      onOwnAddress: (email) => notices.logOwnAddress('sign-in', email),
      writeNotice: notices.write,
    }),
  };
};

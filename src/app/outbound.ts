/** Outbound mail: the send gate, scheduled sends, decisions on held mail, the queue, and TLS policies and reports. */

import { createSecretKey } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { createSigningKeys } from '../domains/signing-keys.ts';
import { SECOND } from '../kernel/clock.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { createNotifyHeld } from '../notices/held-notices.ts';
import type { Notices } from '../notices/notices.ts';
import type { Push } from '../notices/push/push.ts';
import { createDryRun } from '../outbound/dry-run/dry-run.ts';
import { createHeldDecisions } from '../outbound/gate/decide-held.ts';
import { createEditHeld } from '../outbound/gate/edit-held.ts';
import { endProbations, liftThrottles } from '../outbound/gate/reputation-state.ts';
import { createSend } from '../outbound/gate/send.ts';
import { createOutboundWorker } from '../outbound/queue/queue-worker.ts';
import { selectSourceAddress } from '../outbound/queue/source-address.ts';
import { cancelOrphaned } from '../outbound/scheduled/cancel-orphaned.ts';
import { createScheduledDispatch } from '../outbound/scheduled/scheduled-dispatch.ts';
import { createDanePolicies } from '../outbound/tls/dane-policies.ts';
import { createTlsReports } from '../outbound/tls/send-tls-reports.ts';
import { createStsPolicies } from '../outbound/tls/sts-policies.ts';
import { createTlsPolicies } from '../outbound/tls/tls-policies.ts';
import { createTlsResults } from '../outbound/tls/tls-results-count.ts';
import { systemAddress, TLS_REPORTS } from '../resources/workspaces/system-senders.ts';
import { listNoticeAddresses } from '../store/owners/told-settings.ts';
import type { Inbound } from './inbound.ts';
import { EVERY_HOUR, EVERY_MINUTE } from './jobs.ts';
import { createTellOwners, createTellPaused } from './notices.ts';
import type { Base } from './processing.ts';

/** Time that attempts in flight have at a stop; SIGTERM drains within 30 s. */
const DRAIN_MS = 25 * SECOND;

export interface OutboundParts extends Base {
  notices: Pick<Notices, 'write'>;
  push: Pick<Push, 'tellHeld'>;
  inbound: Inbound;
}

export type Outbound = ReturnType<typeof createOutbound>;

export const createOutbound = (config: Config, parts: OutboundParts) => {
  const { storage, processing, notices, push } = parts;
  const { store, newId, plans, activity } = storage;
  const { local_only: isLocalOnly } = config.outbound;
  const { clock, random } = storage.runtime;
  const { events, mailLog, workers, onError } = processing;
  const tls = createOutboundTls(config, parts);
  const queue = createQueue(config, parts, tls);
  const notifyHeld = createNotifyHeld({ clock, write: notices.write });
  const gate = {
    store,
    plans,
    isLocalOnly,
    workers,
    clock,
    newId,
    random,
    publicUrl: config.public_url,
    findLeakIndex: (workspaceId: WorkspaceId) => storage.leakGuard.find(store.read, workspaceId),
  };
  const send = createSend({
    ...gate,
    activity,
    events,
    mailLog,
    queue,
    notifyOwner: async (tx, workspace, pendingId) => {
      for (const ownerEmail of await listNoticeAddresses(tx.db, workspace, 'mailsHeld', config.base_domain)) {
        await notifyHeld(tx, { ownerEmail, pendingId, publicUrl: config.public_url });
      }
      await push.tellHeld(tx, workspace.id);
    },
  });
  const scheduledDispatch = createScheduledDispatch({ store, clock, newId, events, send, onError });
  const heldDecisions = createHeldDecisions({
    store,
    events,
    mailLog,
    plans,
    isLocalOnly,
    activity,
    clock,
    newId,
    queue,
    undoMs: config.outbound.undo_seconds * SECOND,
    onError,
  });
  const editHeld = createEditHeld(gate);
  return {
    send,
    dryRun: createDryRun(gate),
    editHeld,
    queue,
    scheduledDispatch,
    heldDecisions,
    /** On each box. */
    sender: {
      start: queue.start,
      wake: queue.wake,
      stop: async () => {
        await queue.stop(DRAIN_MS);
        await tls.stop();
      },
      jobs: [{ name: 'count TLS results', pattern: EVERY_MINUTE, run: tls.results.flush }],
    },
    start: async () => {
      await queue.lead();
      scheduledDispatch.start();
      heldDecisions.releases.start();
    },
    wake: () => {
      void scheduledDispatch.runDue();
      void heldDecisions.releases.run();
    },
    stop: async () => {
      await Promise.all([heldDecisions.releases.stop(), scheduledDispatch.stop()]);
    },
    jobs: [
      { name: 'expire holds', pattern: EVERY_MINUTE, run: heldDecisions.expire },
      {
        name: 'cancel orphaned sends',
        pattern: EVERY_MINUTE,
        run: () => store.write(async (tx) => void (await cancelOrphaned(events, tx, null, clock.now()))),
      },
      {
        name: 'lift throttles',
        pattern: EVERY_MINUTE,
        run: () => liftThrottles({ store, events, activity }, clock.now()),
      },
      {
        name: 'end probations',
        pattern: EVERY_HOUR,
        run: () => endProbations({ store, plans, activity }, clock.now()),
      },
      { name: 'send TLS reports', pattern: EVERY_MINUTE, run: createTlsReporting(config, parts, send) },
    ],
  };
};

/** TLS policies that other domains publish (DANE, MTA-STS), and the results that TLSRPT counts. */
const createOutboundTls = (config: Config, { storage, network, processing }: OutboundParts) => {
  const { store, runtime } = storage;
  const { clock, fraction, policyPort } = runtime;
  const { onError } = processing;
  const results = createTlsResults({ store, clock, randomFraction: fraction, onError });
  const { resolver, request } = network;
  const sts = createStsPolicies({ store, clock, resolver, request, port: policyPort, onError });
  const dane = createDanePolicies({ lookup: network.dnssecResolver, port: config.outbound.port });
  return {
    results,
    policies: createTlsPolicies({ extraCa: network.extraCa, dane, sts, results }),
    stop: async () => {
      await sts.stop();
      await results.flush();
    },
  };
};

const createQueue = (
  config: Config,
  { storage, network, processing, notices, inbound }: OutboundParts,
  tls: ReturnType<typeof createOutboundTls>,
) => {
  const { store, newId, plans, bounceRules, vaultKey, returnPathKey, activity } = storage;
  const { clock, fraction } = storage.runtime;
  const { port, source_addresses, smarthost, smarthosts, local_only: isLocalOnly } = config.outbound;
  const byDomain = new Map(Object.entries(smarthosts));
  return createOutboundWorker({
    store,
    events: processing.events,
    mailLog: processing.mailLog,
    plans,
    activity,
    notifyPaused: createTellPaused(createTellOwners(notices.write, config)),
    workers: processing.workers,
    clock,
    newId,
    bounceRules,
    resolver: network.resolver,
    signingKeys: createSigningKeys(store.read, vaultKey),
    returnPathKey: createSecretKey(returnPathKey),
    hostname: config.hostname,
    baseDomain: config.base_domain,
    isLocalOnly,
    port,
    sourceAddress: selectSourceAddress(source_addresses),
    smarthostFor: (domain) => byDomain.get(domain) ?? smarthost,
    tlsPolicies: tls.policies,
    tlsReporter: systemAddress(TLS_REPORTS, config.base_domain),
    isAllowedPrivate: network.isAllowedPrivate,
    receiveLocally: async ({ raw, recipient, envelope, inTransaction }) =>
      inbound.receive({
        raw,
        recipients: [await inbound.resolveRecipient(recipient)],
        envelope,
        inTransaction,
      }),
    randomFraction: fraction,
    onError: processing.onError,
  });
};

const createTlsReporting = (
  config: Config,
  { storage, network, processing }: OutboundParts,
  send: ReturnType<typeof createSend>,
) => {
  const agentId = storage.systemAgents?.tlsReports;
  return createTlsReports({
    store: storage.store,
    clock: storage.runtime.clock,
    resolver: network.resolver,
    request: network.request,
    send,
    reporter: agentId ? { agentId, address: systemAddress(TLS_REPORTS, config.base_domain) } : null,
    submitter: config.base_domain,
    onError: processing.onError,
  });
};

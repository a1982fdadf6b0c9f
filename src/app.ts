/** The daemon: its parts, in the order in which they start. They stop in the reverse order. */

import { createApi } from './app/api.ts';
import { createDnsListeners } from './app/dns/dns-listeners.ts';
import { createNightlyVisit } from './app/doctor/visits.ts';
import { createDomainsPart } from './app/domains/domains-part.ts';
import { createInbound } from './app/inbound.ts';
import { type Runtime, systemRuntime } from './app/instance.ts';
import { createJobs, type Jobs, systemSchedule } from './app/jobs.ts';
import { createKnowledgePart } from './app/knowledge/knowledge-part.ts';
import { createMailListeners } from './app/mail-listeners.ts';
import { createNetwork } from './app/network.ts';
import { createNoticeDelivery, createNoticesPart } from './app/notices.ts';
import { createMailLogPart } from './app/observe/mail-log-part.ts';
import { createMemoryPart } from './app/observe/memory-part.ts';
import { createMetricsPart } from './app/observe/metrics-part.ts';
import { createOutbound, type Outbound } from './app/outbound.ts';
import { createToldPart, type Told } from './app/owners/told-part.ts';
import { createStages, type Part } from './app/part.ts';
import { createProcessing } from './app/processing.ts';
import { createRetention } from './app/retention.ts';
import { createKeptConfig, openStorage } from './app/storage.ts';
import { createAcmePart } from './app/tls/acme-part.ts';
import { createKeptFiles } from './app/tls/kept-files.ts';
import { createWebhooksPart, type Webhooks } from './app/webhooks.ts';
import type { Config } from './config/config.ts';
import type { Log } from './kernel/log.ts';
import type { Challenges } from './transports/dns/challenges.ts';
import type { Sessions } from './transports/mcp/earlier/sessions.ts';

export interface Daemon {
  /** `host:port` of each listener. */
  http: string[];
  smtp: string[];
  submission: string[];
  dns: string[];
  /** Plain HTTP for ACME, and the private listener. */
  plainHttp: string[];
  private: string[];
  /** TXT values of ACME challenges in the zone that the DNS server answers for. */
  challenges: Pick<Challenges, 'setChallenge' | 'removeChallenge'>;
  outbound: Outbound['queue'];
  scheduledDispatch: Outbound['scheduledDispatch'];
  heldDecisions: Outbound['heldDecisions'];
  webhooks: Webhooks['dispatcher'];
  push: Told['push'];
  jobs: Pick<Jobs, 'runAll'>;
  toolSessions: Sessions;
  stop(): Promise<void>;
}

/** Resolves once every listener listens. */
export const startDaemon = async (config: Config, log: Log, runtime: Runtime = systemRuntime): Promise<Daemon> => {
  const network = await createNetwork(config, log, runtime);
  const storage = await openStorage(config, log, runtime);
  const processing = createProcessing(config, log, runtime, storage);
  const notices = createNoticesPart(config, log, storage, processing);
  const inbound = createInbound(config, { storage, network, processing, notices });
  const told = createToldPart(config, log, storage, network, processing, notices);
  const { push } = told;
  const outbound = createOutbound(config, { storage, network, processing, notices, push, inbound });
  const noticeDelivery = createNoticeDelivery(config, log, notices, storage, processing, outbound.send);
  const webhooks = createWebhooksPart(config, storage, network, processing, notices);
  const domains = createDomainsPart(storage, processing, notices);
  const knowledge = createKnowledgePart(config, log, storage, network, processing);
  const parts = { storage, network, processing, outbound, webhooks, notices, push, domains, knowledge };
  const api = createApi(config, log, parts);
  const mail = createMailListeners(config, log, { storage, network, processing, inbound, outbound, api });
  const dns = createDnsListeners(config, { storage, processing });
  const acme = createAcmePart(config, log, { storage, network, processing, challenges: dns.challenges });
  const doctor = createNightlyVisit(log, storage, notices);
  const metrics = createMetricsPart(config, { storage, network, processing, readiness: api.readiness });
  const mailLog = createMailLogPart(config, storage, processing);
  const retention = createRetention(config, storage);
  const memory = createMemoryPart();
  const keptFiles = createKeptFiles(network, storage);
  const led: Part[] = [
    createKeptConfig(storage),
    acme.orders,
    outbound,
    webhooks,
    noticeDelivery,
    told,
    domains,
    knowledge,
  ];
  const onJobError = (err: unknown, job: string) => log.error({ err, job }, 'job failed');
  const scheduled = (of: readonly Part[]) => createJobs(of, runtime.schedule ?? systemSchedule, onJobError);
  const ownJobs = scheduled([api, keptFiles, mailLog, memory, outbound.sender]);
  const ledJobs = scheduled([inbound, ...led, doctor, retention]);
  const leading = { parts: [...led, ledJobs], store: storage.store, log, succession: runtime.store?.succession };
  const own = [api, mail, dns, acme.listeners, metrics, knowledge.queries, outbound.sender, ownJobs];
  const stages = createStages([[storage], [network, keptFiles], [processing, mailLog], own], leading);
  storage.store.hearOthers(() => {
    processing.hearOthers();
    for (const part of [outbound.sender, ...led]) part.wake?.();
  });
  await stages.start();
  return {
    http: api.addresses,
    smtp: mail.addresses('smtp'),
    submission: mail.addresses('submission'),
    dns: dns.addresses,
    plainHttp: acme.listeners.addresses,
    private: metrics.address === null ? [] : [metrics.address],
    challenges: dns.challenges,
    outbound: outbound.queue,
    scheduledDispatch: outbound.scheduledDispatch,
    heldDecisions: outbound.heldDecisions,
    webhooks: webhooks.dispatcher,
    push,
    jobs: { runAll: () => ownJobs.runAll().then(ledJobs.runAll) },
    toolSessions: api.sessions,
    stop: stages.stop,
  };
};

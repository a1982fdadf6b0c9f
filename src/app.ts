/** The daemon, put together: read from top to bottom, it is the whole house. */

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import { availableParallelism } from 'node:os';
import { createAuthenticate } from './access/authenticate-key.ts';
import { createDispatch } from './access/dispatch.ts';
import { createIdempotency, IDEMPOTENCY_RETENTION_MS } from './access/idempotency.ts';
import { createRateLimit, PAGES_PER_ADDRESS, REQUESTS_PER_ADDRESS, REQUESTS_PER_KEY } from './access/rate-limit.ts';
import { readCertificate, readExtraCa } from './app/certificates.ts';
import { startHttpListeners } from './app/http-listeners.ts';
import { openInstance, type Runtime, systemRuntime } from './app/instance.ts';
import { createJobs, EVERY_HOUR, EVERY_MINUTE, type Jobs } from './app/jobs.ts';
import { startMailListeners } from './app/mail-listeners.ts';
import { createNoticeSender } from './app/notice-sender.ts';
import { purgeExpired } from './app/retention.ts';
import { StartError } from './app/start-error.ts';
import { warnOfConfig } from './app/start-warnings.ts';
import { createBudget } from './budget/budget.ts';
import type { Config } from './config/config.ts';
import type { ListenAddress } from './config/config-values.ts';
import { createSigningKeys } from './domains/signing-keys.ts';
import { createEventFeed } from './events/feed.ts';
import { createKeyEndings } from './events/key-endings.ts';
import { createListeningPlaces } from './events/listening-places.ts';
import { pollOtherProcesses } from './events/other-processes.ts';
import { createEvents } from './events/publish-events.ts';
import { createMailWaits } from './events/wait-for-mail.ts';
import { createReceive } from './inbound/receive.ts';
import { createResolveRecipient } from './inbound/resolve-recipient.ts';
import { SECOND } from './kernel/clock.ts';
import { listedIn } from './net/dns/dnsbl.ts';
import { createDnssecResolver } from './net/dns/dnssec-resolver.ts';
import { checkIprev } from './net/dns/iprev.ts';
import { createResolver } from './net/dns/resolver.ts';
import { findCheckedAddresses } from './net/http/checked-address.ts';
import { createGuardedHttp } from './net/http/guarded-client.ts';
import { askRspamd } from './net/http/rspamd.ts';
import { cidrMatcher } from './net/ip/address-range.ts';
import { createNotices } from './notices/notices.ts';
import { createForwardRoleMail } from './notices/role-mail.ts';
import { processReport } from './outbound/bounce/process-report.ts';
import { createHeldDecisions, type HeldDecisions } from './outbound/gate/decide-held.ts';
import { endProbations, liftThrottles } from './outbound/gate/reputation-state.ts';
import { createSend } from './outbound/gate/send.ts';
import { createOutboundWorker, type OutboundWorker } from './outbound/queue/queue-worker.ts';
import { selectSourceAddress } from './outbound/queue/source-address.ts';
import { createScheduledDispatch, type ScheduledDispatch } from './outbound/scheduled/scheduled-dispatch.ts';
import { toSendRequest } from './outbound/scheduled/scheduled-request.ts';
import { createDanePolicies } from './outbound/tls/dane-policies.ts';
import { createTlsReports } from './outbound/tls/send-tls-reports.ts';
import { createStsPolicies } from './outbound/tls/sts-policies.ts';
import { createTlsPolicies } from './outbound/tls/tls-policies.ts';
import { createTlsResults } from './outbound/tls/tls-results-count.ts';
import { bindOperations } from './resources/index.ts';
import { ensureSystemAgent, NOTICES, ROLE_MAIL, systemAddress, TLS_REPORTS } from './resources/owner/system.ts';
import { removeExpiredMailboxes } from './resources/temp-addresses/expired-mailboxes.ts';
import { findWorkspaceById } from './store/accounts/workspaces.ts';
import { countOpen } from './store/mail/messages.ts';
import { findSetting, insertSettingOnce } from './store/settings.ts';
import { lockDataDirectory } from './store/sqlite/lock.ts';
import type { Store } from './store/store.ts';
import { createSessions, type Sessions } from './transports/mcp/sessions.ts';
import type { WebhookDispatcher } from './webhooks/dispatcher.ts';
import { purgeEvents } from './webhooks/webhook-retention.ts';
import { createWebhookSending } from './webhooks/webhook-sending.ts';
import { createWorkerPool } from './workers/worker-pool.ts';

/** The setting that holds the key return paths are authenticated with. */
const RETURN_PATH_KEY = 'return-path-key';
/** How long DNS answers are used again, and how many are kept. A minute is less than any sensible TTL. */
const DNS_CACHE = { maxEntries: 10_000, positiveMs: 60 * SECOND, negativeMs: 30 * SECOND };
const DNS_TIME_OUT_MS = 5 * SECOND;
/** SIGTERM drains within 30 s (operator's promise): what is under way has most of that. */
const DRAIN_MS = 25 * SECOND;

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Daemon {
  /** `host:port` of each listener. */
  http: string[];
  smtp: string[];
  submission: string[];
  outbound: OutboundWorker;
  webhooks: WebhookDispatcher;
  scheduledDispatch: ScheduledDispatch;
  heldDecisions: HeldDecisions;
  jobs: Jobs;
  toolSessions: Sessions;
  stop(): Promise<void>;
}

export const startDaemon = async (config: Config, log: Log, runtime: Runtime = systemRuntime): Promise<Daemon> => {
  const { clock, random, fraction, policyPort } = runtime;
  const certificate = readCertificate(config, (err) =>
    log.error({ err }, 'the new certificate cannot be used; the old one stays in use'),
  );
  const extraCa = readExtraCa(config);
  // Before the data file is opened: opening may migrate it.
  const lock = lockDataDirectory(config.data_dir);
  const instance = openInstance(config, runtime);
  warnOfConfig(config, log);
  const { store, vaultKey, newId, plans, bounceRules } = instance;
  const onError = (error: unknown) => log.error({ err: error }, 'fault');

  const baseDomain = config.base_domain;
  const provision = vaultKey && { store, clock, newId, vaultKey, baseDomain };
  const system = provision && (await ensureSystemAgent(provision, NOTICES));
  const roleMailer = provision && (await ensureSystemAgent(provision, ROLE_MAIL));
  const tlsReporter = provision && (await ensureSystemAgent(provision, TLS_REPORTS));
  const tlsReportsAddress = systemAddress(TLS_REPORTS, baseDomain);
  if (!system)
    log.warn({ key_file: config.vault.key_file }, "the vault's key is missing: nothing can be signed or opened");
  const returnPathKey = await keptKey(store, RETURN_PATH_KEY);

  const resolver = createResolver({
    servers: config.dns.resolvers,
    timeoutMs: DNS_TIME_OUT_MS,
    cache: DNS_CACHE,
    clock,
  });
  const budget = createBudget(config.budget, { clock, log });
  const workers = createWorkerPool(
    { threads: workerThreads(), resolvers: config.dns.resolvers },
    { workerTurns: budget.workerTurns, onError },
  );
  // A mail that is being read is about to be stored.
  store.gatherWhile(() => workers.busy);
  const events = createEvents(clock, random, onError);
  const isAllowedPrivate = cidrMatcher(config.network.allow_private);

  const notices = createNotices({
    store,
    clock,
    newId,
    send:
      system && roleMailer
        ? (mail, alongside) =>
            createNoticeSender({ send, workers, agents: { notices: system, 'role-mail': roleMailer } })(mail, alongside)
        : null,
    onRefused: ({ kind, ownerEmail }, reason) =>
      log.warn({ notice: kind, owner: ownerEmail, reason }, 'an owner could not be told'),
    onError,
  });
  const resolveRecipient = createResolveRecipient({
    db: store.read,
    clock,
    returnPathKey,
    hostname: config.hostname,
    system,
  });
  const { dnsbl, rspamd_url: rspamd } = config.scan;
  const receive = createReceive({
    store,
    events,
    workers,
    clock,
    newId,
    hostname: config.hostname,
    filterResponse: config.smtp.filter_response,
    maxReceivedFields: config.smtp.limits.received_fields,
    listedIn: dnsbl.length > 0 ? (ip) => listedIn(ip, dnsbl, resolver) : null,
    trustedArcSealers: new Set(config.smtp.trusted_forwarders),
    scan: rspamd ? (raw, session) => askRspamd(rspamd, raw, session) : null,
    onRoleMail: createForwardRoleMail({ clock, write: notices.write }),
    onReport: (tx, deliveryId, report) =>
      processReport({ events, plans, bounceRules }, tx, deliveryId, report, clock.now()),
    onError,
  });

  const guardedHttp = createGuardedHttp({ resolver, isAllowedPrivate, extraCa });
  const tlsResults = createTlsResults({ store, clock, randomFraction: fraction, onError });
  const dnssecResolver = createDnssecResolver({ servers: config.dns.resolvers, clock });
  const dane = createDanePolicies({ lookup: dnssecResolver, port: config.outbound.port });
  const stsPolicies = createStsPolicies({
    store,
    clock,
    resolver,
    request: guardedHttp.request,
    port: policyPort,
    onError,
  });
  const smarthosts = new Map(Object.entries(config.outbound.smarthosts));
  const outbound = createOutboundWorker({
    store,
    events,
    plans,
    workers,
    clock,
    newId,
    bounceRules,
    resolver,
    signingKeys: createSigningKeys(store.read, vaultKey),
    returnPathKey,
    hostname: config.hostname,
    port: config.outbound.port,
    sourceAddress: selectSourceAddress(config.outbound.source_addresses),
    smarthostFor: (domain) => smarthosts.get(domain) ?? config.outbound.smarthost,
    tlsPolicies: createTlsPolicies({ extraCa, dane, sts: stsPolicies, results: tlsResults }),
    tlsReporter: tlsReportsAddress,
    isAllowedPrivate,
    receiveLocally: async ({ raw, recipient, envelope, alongside }) =>
      receive({ raw, recipients: [await resolveRecipient(recipient)], envelope, alongside }),
    randomFraction: fraction,
    onError,
  });
  const wakeQueue = () => outbound.wake();
  const send = createSend({
    store,
    events,
    plans,
    workers,
    clock,
    newId,
    random,
    publicUrl: config.public_url,
    wakeQueue,
    notifyOwner: (tx, ownerEmail, pendingId) => notices.write(tx, { kind: 'held', data: { pendingId }, ownerEmail }),
  });
  const sendTlsReports = createTlsReports({
    store,
    clock,
    resolver,
    request: guardedHttp.request,
    send,
    reporter: tlsReporter && { agentId: tlsReporter, address: tlsReportsAddress },
    submitter: baseDomain,
    onError,
  });
  const scheduledDispatch = createScheduledDispatch({
    store,
    clock,
    newId,
    send: (agentId, booked, parent, alongside) => send({ ...toSendRequest(agentId, booked, parent), alongside }),
    onError,
  });
  const heldDecisions = createHeldDecisions({ store, events, plans, clock, newId, wakeQueue });

  const webhooks = createWebhookSending({
    store,
    events,
    clock,
    vaultKey,
    request: guardedHttp.request,
    randomFraction: fraction,
    notifyOwner: async (tx, { workspaceId, url }, failures) => {
      const workspace = await findWorkspaceById(tx.db, workspaceId);
      if (!workspace) return;
      await notices.write(tx, { kind: 'webhook-off', data: { url, failures }, ownerEmail: workspace.ownerEmail });
    },
    onError,
  });
  const endings = createKeyEndings(store.read, clock);
  const places = createListeningPlaces(endings);
  const feed = createEventFeed(store.read, events);
  const waits = createMailWaits({ read: store.read, events, clock, places });
  const otherProcesses = pollOtherProcesses([() => events.dispatchForeign(store.read), endings.poll], onError);

  const jobs = createJobs(
    [
      { name: 'expire holds', pattern: EVERY_MINUTE, run: heldDecisions.expire },
      {
        name: 'lift throttles',
        pattern: EVERY_MINUTE,
        run: () => liftThrottles({ store, events, plans }, clock.now()),
      },
      { name: 'end probations', pattern: EVERY_HOUR, run: () => endProbations({ store, plans }, clock.now()) },
      { name: 'expired mailboxes', pattern: EVERY_MINUTE, run: () => removeExpiredMailboxes(store, clock.now()) },
      { name: 'end idle sessions', pattern: EVERY_MINUTE, run: () => toolSessions.endIdle() },
      { name: 'forget', pattern: EVERY_HOUR, run: () => purgeExpired(store, clock.now(), IDEMPOTENCY_RETENTION_MS) },
      { name: 'forget events', pattern: EVERY_HOUR, run: () => purgeEvents(store, clock.now()) },
      { name: 'count TLS results', pattern: EVERY_MINUTE, run: tlsResults.flush },
      { name: 'send TLS reports', pattern: EVERY_MINUTE, run: sendTlsReports },
      { name: 'mail notices', pattern: EVERY_MINUTE, run: notices.drain },
    ],
    (err, job) => log.error({ err, job }, 'job failed'),
  );

  const { operations, capabilities } = bindOperations({
    store,
    workers,
    clock,
    newId,
    random,
    plans,
    send,
    scheduledDispatch,
    waits,
    webhooks,
    searches: budget.searches,
    searchSeconds: config.budget.search_seconds,
    findAddresses: (url) => findCheckedAddresses({ resolver, isAllowedPrivate }, url),
    onError,
  });

  const rest = {
    dispatch: createDispatch(createIdempotency(store, clock)),
    authenticate: createAuthenticate(store, clock),
    keyLimit: createRateLimit(clock, REQUESTS_PER_KEY),
    addressLimit: createRateLimit(clock, REQUESTS_PER_ADDRESS),
    clock,
  };
  const onRequestError = (err: unknown, about: object) => log.error({ err, ...about }, 'request failed');
  const toolSessions = createSessions(
    { operations: capabilities, endings, dispatch: rest.dispatch, random, onError: onRequestError },
    clock,
  );
  const documents = {
    limit: createRateLimit(clock, PAGES_PER_ADDRESS),
    clock,
    publicUrl: config.public_url,
    readiness: async () => {
      await findSetting(store.read, RETURN_PATH_KEY);
      return { ready: true, detail: { vault: vaultKey ? 'open' : 'key missing' } };
    },
    countOpen: (openToken: string) => store.write((tx) => countOpen(tx, openToken, clock.now())),
  };
  const http = await startHttpListeners(config, {
    budget,
    clock,
    operations,
    rest,
    mcp: {
      ...rest,
      sessions: toolSessions,
      hostNames: [config.hostname, new URL(config.public_url).hostname],
      onError: onRequestError,
    },
    eventStream: { ...rest, feed, places },
    documents,
    newRequestId: () => newId<'request'>(),
    certificate,
    onError: onRequestError,
  });
  const mail = await startMailListeners(config, {
    budget,
    endings,
    resolveRecipient,
    receive,
    send,
    authenticate: rest.authenticate,
    store,
    workers,
    clock,
    checkIprev: (ip) => checkIprev(ip, resolver),
    certificate,
    listen: listening,
    log,
    onError,
  });
  const onHangup = () => certificate?.check();
  process.on('SIGHUP', onHangup);
  await outbound.start();
  await otherProcesses.start();
  webhooks.start();
  scheduledDispatch.start();
  jobs.start();
  void notices.drain().catch(onError);

  return {
    http: http.addresses,
    smtp: mail.smtp,
    submission: mail.submission,
    outbound,
    webhooks: webhooks.dispatcher,
    scheduledDispatch,
    heldDecisions,
    jobs,
    toolSessions,
    stop: async () => {
      process.off('SIGHUP', onHangup);
      certificate?.close();
      // Whoever waits would hold up the listeners.
      waits.close();
      feed.close();
      await otherProcesses.stop();
      await Promise.all([
        scheduledDispatch.stop(),
        notices.stop(),
        jobs.stop(),
        http.close(),
        toolSessions.close(),
        mail.close(),
        outbound.stop(DRAIN_MS),
        webhooks.stop(),
      ]);
      await stsPolicies.stop();
      await tlsResults.flush();
      guardedHttp.close();
      await workers.close();
      await instance.close();
      lock.release();
    },
  };
};

/** The main thread takes the protocol; the others parse, verify and sign. */
const workerThreads = (): number => Math.min(Math.max(availableParallelism() - 1, 1), 8);

const listening = (server: Server, { host, port }: ListenAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (cause) =>
      reject(new StartError(`Cannot listen on ${host}:${port}: ${cause.message}`, { cause })),
    );
  });

/** A key of the box's own, made at the first start. */
const keptKey = async (store: Store, name: string): Promise<Buffer> => {
  await store.write((tx) => insertSettingOnce(tx, name, randomBytes(32)));
  const key = await findSetting(store.read, name);
  if (!key) throw new Error(`The setting ${name} was not kept.`);
  return key;
};

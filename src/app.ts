/** The daemon, put together: read from top to bottom, it is the whole house. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { availableParallelism } from 'node:os';
import { createAuthenticate } from './access/keys.ts';
import { createRateLimit, PAGES_PER_ADDRESS, REQUESTS_PER_ADDRESS, REQUESTS_PER_KEY } from './access/rate-limit.ts';
import { openBox, realSurroundings, type Surroundings } from './box.ts';
import { createSigningKeys } from './domains/keys.ts';
import { createEvents } from './events/events.ts';
import { createFindDestination } from './inbound/destination.ts';
import { createReceive } from './inbound/receive.ts';
import { SECOND } from './kernel/clock.ts';
import type { Config } from './kernel/config.ts';
import type { ListenAddress } from './kernel/config-values.ts';
import { parseId } from './kernel/ids.ts';
import { type Bound, bind } from './kernel/operation.ts';
import { cidrMatcher } from './net/address-range.ts';
import { createResolver } from './net/resolver.ts';
import { reverseName } from './net/reverse-name.ts';
import { createSend } from './outbound/send.ts';
import { createOutboundWorker, type OutboundWorker } from './outbound/worker.ts';
import { identityContract } from './resources/identity/contract.ts';
import { createIdentity } from './resources/identity/service.ts';
import { messagesContract } from './resources/messages/contract.ts';
import { createMessages } from './resources/messages/service.ts';
import { viewMessage } from './resources/messages/view.ts';
import { ensureBaseDomain } from './resources/owner/workspaces.ts';
import { searchContract } from './resources/search/contract.ts';
import { createSearch } from './resources/search/service.ts';
import { threadsContract } from './resources/threads/contract.ts';
import { createThreads } from './resources/threads/service.ts';
import { countOpen } from './store/messages.ts';
import { findSetting, insertSettingOnce } from './store/settings.ts';
import { lockDataDirectory } from './store/sqlite/lock.ts';
import type { Store } from './store/store.ts';
import { addressOf, createHttpServer } from './transports/http/server.ts';
import { registerDocuments } from './transports/rest/documents.ts';
import { registerRest } from './transports/rest/routes.ts';
import { closeSmtpServer, createSmtpServer } from './transports/smtp/server.ts';
import { createWorkerPool } from './workers/pool.ts';

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
  outbound: OutboundWorker;
  stop(): Promise<void>;
}

export class StartError extends Error {
  override readonly name = 'StartError';
}

export const startDaemon = async (
  config: Config,
  log: Log,
  surroundings: Surroundings = realSurroundings,
): Promise<Daemon> => {
  const { clock, random, fraction } = surroundings;
  const certificate = readCertificate(config);
  // Before the data file is opened: opening may migrate it.
  const lock = lockDataDirectory(config.data_dir);
  const box = openBox(config, surroundings);
  const { store, vaultKey, newId } = box;
  const onError = (error: unknown) => log.error({ err: error }, 'fault');

  if (vaultKey) await ensureBaseDomain({ store, clock, newId, vaultKey, baseDomain: config.base_domain });
  else log.warn({ key_file: config.vault.key_file }, "the vault's key is missing: nothing can be signed or opened");
  const returnPathKey = await keptKey(store, RETURN_PATH_KEY);

  const resolver = createResolver({
    servers: config.dns.resolvers,
    timeoutMs: DNS_TIME_OUT_MS,
    cache: DNS_CACHE,
    clock,
  });
  const workers = createWorkerPool({ threads: workerThreads(), resolvers: config.dns.resolvers });
  const events = createEvents(clock, random, onError);

  const findDestination = createFindDestination(store.read, clock, returnPathKey);
  const receive = createReceive({
    store,
    events,
    workers,
    clock,
    newId,
    hostname: config.hostname,
    filterResponse: config.smtp.filter_response,
  });

  const outbound = createOutboundWorker({
    store,
    events,
    workers,
    clock,
    resolver,
    signingKeys: createSigningKeys(store.read, vaultKey),
    returnPathKey,
    hostname: config.hostname,
    port: config.outbound.port,
    isAllowedPrivate: cidrMatcher(config.network.allow_private),
    receiveLocally: async ({ raw, recipient, envelope, alongside }) =>
      receive({ raw, destinations: [await findDestination(recipient)], envelope: { local: envelope }, alongside }),
    randomFraction: fraction,
    onError,
  });
  const send = createSend({
    store,
    events,
    workers,
    clock,
    newId,
    publicUrl: config.public_url,
    wakeQueue: () => outbound.wake(),
  });

  const operations: Bound[] = [
    ...bind(messagesContract, createMessages({ store, workers, send })),
    ...bind(threadsContract, createThreads({ store, viewMessage })),
    ...bind(searchContract, createSearch({ store })),
    ...bind(identityContract, createIdentity({ store, clock, newId })),
  ];
  const contracts = operations.map(({ operation }) => operation);

  const rest = {
    authenticate: createAuthenticate(store, clock),
    keyLimit: createRateLimit(clock, REQUESTS_PER_KEY),
    addressLimit: createRateLimit(clock, REQUESTS_PER_ADDRESS),
    clock,
  };
  const documents = {
    limit: createRateLimit(clock, PAGES_PER_ADDRESS),
    clock,
    publicUrl: config.public_url,
    readiness: async () => {
      await findSetting(store.read, RETURN_PATH_KEY);
      return { ready: true, detail: { vault: vaultKey ? 'open' : 'key missing' } };
    },
    countOpen: async (text: string) => {
      const id = parseId<'message'>(text);
      if (id) await store.write((tx) => countOpen(tx, id, clock.now()));
    },
  };
  const makeHttpServer = () => {
    const app = createHttpServer(
      {
        trustedProxies: config.http.trusted_proxies,
        https: certificate,
        onError: (err, about) => log.error({ err, ...about }, 'request failed'),
      },
      contracts,
    );
    registerDocuments(app, contracts, documents);
    registerRest(app, operations, rest);
    return app;
  };
  const makeSmtpServer = () =>
    createSmtpServer(
      { hostname: config.hostname, maxMessageBytes: config.smtp.max_message_bytes, tls: certificate },
      { findDestination, receive, clock, reverseName: (ip) => reverseName(ip, resolver), onError },
    );

  const https = await Promise.all(
    config.http.listen.map(async ({ host, port }) => {
      const app = makeHttpServer();
      await app.listen({ host, port });
      return app;
    }),
  );
  const smtps = await Promise.all(
    config.smtp.listen.map(async (address) => {
      const server = makeSmtpServer();
      await listening(server.listen(address.port, address.host), address);
      return server;
    }),
  );
  await outbound.start();

  return {
    http: https.map(({ server }) => addressOf(server)),
    smtp: smtps.map(({ server }) => addressOf(server)),
    outbound,
    stop: async () => {
      await Promise.all([
        ...https.map((app) => app.close()),
        ...smtps.map(closeSmtpServer),
        outbound.stop(DRAIN_MS),
      ]);
      await workers.close();
      await box.close();
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

const readCertificate = ({ tls }: Config): { cert: Buffer; key: Buffer } | null => {
  if (tls.mode === 'off') return null;
  if (tls.mode === 'acme' || !tls.cert_file || !tls.key_file) {
    throw new StartError('tls.mode "acme" is not there yet: set it to "files", or to "off" behind a proxy.');
  }
  return { cert: readFileSync(tls.cert_file), key: readFileSync(tls.key_file) };
};

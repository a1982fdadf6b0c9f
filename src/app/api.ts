/** The operations, and the HTTP listeners that serve them over REST and MCP. */

import { createAuthenticate } from '../access/authenticate-key.ts';
import { createDispatch } from '../access/dispatch.ts';
import { createIdempotency } from '../access/idempotency.ts';
import { createRateLimit, PAGES_PER_ADDRESS, REQUESTS_PER_ADDRESS, REQUESTS_PER_KEY } from '../access/rate-limit.ts';
import { type Config, opensSignup } from '../config/config.ts';
import { createEventFeed } from '../events/feed.ts';
import { createListeningPlaces } from '../events/listening-places.ts';
import { createOpenCounter } from '../events/message-opened.ts';
import { createDecisionWaits } from '../events/wait-for-decision.ts';
import { createMailWaits } from '../events/wait-for-mail.ts';
import { DAY, HOUR } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { bindAgentOperations, bindPublicOperations } from '../resources/index.ts';
import { SIGNUPS_PER_HOUR, signupsPerDay } from '../resources/signup/service.ts';
import { isLiveOwnDomain } from '../store/accounts/recipient-lookup.ts';
import { createMcp } from '../transports/mcp/create-mcp.ts';
import { createRequireNoSecret } from '../vault/require-no-secret.ts';
import { type ConsoleParts, createConsole } from './console/console-part.ts';
import { toMailHost } from './domains/mail-host.ts';
import { type HttpListeners, startHttpListeners } from './http-listeners.ts';
import { EVERY_MINUTE } from './jobs.ts';
import { createOauth } from './oauth/oauth-part.ts';
import { createReadiness } from './observe/readiness.ts';
import { createOwnerPages } from './owners/owner-pages.ts';

export type ApiParts = ConsoleParts;

export const createApi = (config: Config, log: Log, parts: ApiParts) => {
  const { storage, network, processing, outbound, webhooks, domains, knowledge } = parts;
  const { store, newId, plans, vault, vaultKey, activity } = storage;
  const { clock, random } = storage.runtime;
  const { budget, workers, events, endings, onError } = processing;
  const onRequestError = (err: unknown, about: object) => log.error({ err, ...about }, 'request failed');

  const host = toMailHost(config);
  const places = createListeningPlaces(endings, budget.listeners);
  const feed = createEventFeed(store.read, events);
  const decisionWaits = createDecisionWaits({ events, places });
  const waits = createMailWaits({ read: store.read, events, places });
  const operations = bindAgentOperations({
    store,
    workers,
    clock,
    newId,
    random,
    plans,
    vault,
    vaultKey,
    checks: domains.checks,
    baseDomain: config.base_domain,
    ...host,
    events,
    requireNoSecret: createRequireNoSecret(storage.leakGuard, store.read),
    send: outbound.send,
    dryRun: outbound.dryRun,
    scheduledDispatch: outbound.scheduledDispatch,
    waits,
    decisionWaits,
    isLocalOnly: config.outbound.local_only,
    feed,
    places,
    publicUrl: config.public_url,
    webhooks,
    searches: budget.searches,
    searchSeconds: config.budget.search_seconds,
    findAddresses: network.findAddresses,
    wakeIndexer: knowledge.wake,
    toQueryVector: knowledge.toQueryVector,
    toVectors: knowledge.toVectors,
    onError,
  });

  const publicOperations = bindPublicOperations({
    store,
    clock,
    newId,
    vaultKey: storage.vaultKey,
    baseDomain: config.base_domain,
    hostname: config.hostname,
    publicUrl: config.public_url,
    limit: createRateLimit(clock, SIGNUPS_PER_HOUR, HOUR),
    dayLimit: createRateLimit(clock, signupsPerDay(config.signup.max_unclaimed), DAY),
    queue: budget.signups,
    isOpen: opensSignup(config),
    maxUnclaimed: config.signup.max_unclaimed,
  });

  const dispatch = createDispatch(createIdempotency(store, clock), activity, storage.runtime.checksOutput);
  const authenticate = createAuthenticate(store, clock);
  const calls = {
    dispatch,
    authenticate,
    keyLimit: createRateLimit(clock, REQUESTS_PER_KEY),
    addressLimit: createRateLimit(clock, REQUESTS_PER_ADDRESS),
    clock,
  };
  const oauth = createOauth(config, storage, { byKey: authenticate, request: network.request, endings, events });
  const mcp = createMcp(
    { operations: operations.all, dispatch, random, publicUrl: config.public_url, onError: onRequestError },
    { endings, clock, onError, sessionPool: budget.mcpSessions, requestPool: budget.mcpRequests },
  );
  const { sessions } = mcp;
  const pageLimit = createRateLimit(clock, PAGES_PER_ADDRESS);
  const documents = {
    limit: pageLimit,
    clock,
    publicUrl: config.public_url,
    opensSignup: opensSignup(config),
    readiness: createReadiness(config, storage),
    countOpen: createOpenCounter({ store, clock, events }),
  };
  const hostNames = [config.hostname, new URL(config.public_url).hostname];
  let listeners: HttpListeners | null = null;

  return {
    authenticate,
    sessions,
    readiness: documents.readiness,
    /** `host:port` of each listener, once started. */
    get addresses(): string[] {
      return listeners?.addresses ?? [];
    },
    start: async () => {
      listeners = await startHttpListeners(config, {
        budget,
        clock,
        operations: [...operations.routed, ...publicOperations],
        rest: calls,
        mcp: {
          ...{ ...calls, ...mcp, hostNames, publicUrl: config.public_url, pageLimit, onError: onRequestError },
          ...{ authenticate: oauth.authenticate, challenge: oauth.challenge },
        },
        oauth: oauth.server,
        eventStream: { ...calls, feed, places },
        documents,
        pages: createOwnerPages(config, storage, parts.notices, events),
        console: createConsole(config, parts, { dispatch, feed }),
        stsPolicy: host.offersTls
          ? {
              limit: pageLimit,
              clock,
              hostname: host.hostname,
              isOwnDomain: (domain) => isLiveOwnDomain(store.read, domain),
            }
          : null,
        newRequestId: () => newId<'request'>(),
        certificate: network.certificate,
        tlsAlpn: network.acme?.tlsAlpn ?? null,
        onError: onRequestError,
      });
    },
    stop: async () => {
      // Waiting calls end first: an open request delays the close of its listener.
      waits.close();
      decisionWaits.close();
      feed.close();
      await Promise.all([listeners?.close(), sessions.close(), mcp.exchanges.close()]);
    },
    jobs: [{ name: 'end idle sessions', pattern: EVERY_MINUTE, run: sessions.endIdle }, ...oauth.jobs],
  };
};

export type Api = ReturnType<typeof createApi>;

/** The operations, and the HTTP listeners that serve them over REST and MCP. */

import { createAuthenticate } from '../access/authenticate-key.ts';
import {
  createRateLimit,
  createSharedRateLimit,
  PAGES_PER_ADDRESS,
  REQUESTS_PER_ADDRESS,
  REQUESTS_PER_KEY,
} from '../access/rate-limit.ts';
import { type Config, opensSignup, servedZone } from '../config/config.ts';
import { createEventFeed } from '../events/feed.ts';
import { createListeningSlots } from '../events/listening-slots.ts';
import { createOpenCounter } from '../events/message-opened.ts';
import { createDecisionWaits } from '../events/wait-for-decision.ts';
import { createMailWaits } from '../events/wait-for-mail.ts';
import { DAY, HOUR } from '../kernel/clock.ts';
import type { Bound } from '../kernel/handlers.ts';
import type { Log } from '../kernel/log.ts';
import { isRouted } from '../kernel/operation.ts';
import type { Push } from '../notices/push/push.ts';
import { contracts } from '../resources/contracts.ts';
import { bindOperations } from '../resources/index.ts';
import { SIGNUPS_PER_HOUR, signupsPerDay } from '../resources/signup/service.ts';
import { isLiveOwnDomain } from '../store/accounts/recipient-lookup.ts';
import { countByNetwork } from '../transports/http/authenticate-request.ts';
import { createMcp } from '../transports/mcp/create-mcp.ts';
import type { Domains } from './domains/domains-part.ts';
import { type HttpListeners, startHttpListeners } from './http-listeners.ts';
import { createInstanceActs } from './instance-acts/instance-acts.ts';
import { EVERY_MINUTE } from './jobs.ts';
import type { Knowledge } from './knowledge/knowledge-part.ts';
import type { NoticesPart } from './notices.ts';
import { createOauth } from './oauth/oauth-part.ts';
import { createReadiness } from './observe/readiness.ts';
import { createInstanceDispatch, toInstanceNeeds } from './operations.ts';
import type { Outbound } from './outbound.ts';
import { createOwnerPages } from './owners/owner-pages.ts';
import type { Base } from './processing.ts';
import type { Webhooks } from './webhooks.ts';

export interface ApiParts extends Base {
  outbound: Outbound;
  notices: NoticesPart;
  push: Push;
  domains: Domains;
  knowledge: Knowledge;
  webhooks: Webhooks;
}

export const createApi = (config: Config, log: Log, parts: ApiParts) => {
  const { storage, network, processing, outbound, notices, push, webhooks, domains, knowledge } = parts;
  const { store, newId } = storage;
  const { clock, random } = storage.runtime;
  const { budget, workers, events, revocations, onError } = processing;
  const onRequestError = (err: unknown, about: object) => log.error({ err, ...about }, 'request failed');

  const slots = createListeningSlots(revocations, budget.listeners);
  const feed = createEventFeed(store.read, events);
  const decisionWaits = createDecisionWaits({ events, slots });
  const waits = createMailWaits({ read: store.read, events, slots });
  const needs = toInstanceNeeds(storage);
  const operations = bindOperations(['agent', 'owner', 'session', 'anonymous'], {
    ...needs,
    workers,
    checks: domains.checks,
    events,
    send: outbound.send,
    postmaster: storage.systemAgents?.operatorMail ?? null,
    dryRun: outbound.dryRun,
    scheduledDispatch: outbound.scheduledDispatch,
    review: outbound.heldDecisions,
    editHeld: outbound.editHeld,
    waits,
    decisionWaits,
    feed,
    slots,
    webhooks,
    searches: budget.searches,
    searchSeconds: config.budget.search_seconds,
    findAddresses: network.findAddresses,
    wakeIndexer: knowledge.wake,
    wakeSender: outbound.queue.wake,
    toQueryVector: knowledge.toQueryVector,
    toVectors: knowledge.toVectors,
    writeNotice: notices.write,
    push,
    servedZone: servedZone(config),
    instanceActs: createInstanceActs(config, storage),
    signup: {
      limit: createRateLimit(clock, SIGNUPS_PER_HOUR, HOUR),
      dayLimit: createRateLimit(clock, signupsPerDay(config.signup.max_unclaimed), DAY),
      queue: budget.signups,
      isOpen: opensSignup(config),
      maxUnclaimed: config.signup.max_unclaimed,
    },
    onError,
  });
  const ofAgents = operations.filter(({ operation }) => operation.audience.includes('agent'));
  const routed = operations.filter((bound): bound is Bound => isRouted(bound.operation));

  const dispatch = createInstanceDispatch(storage);
  const authenticate = createAuthenticate(store, clock);
  const calls = {
    dispatch,
    authenticate,
    keyLimit: createSharedRateLimit(clock, REQUESTS_PER_KEY, store.drawRequests),
    countAddress: countByNetwork(createRateLimit(clock, REQUESTS_PER_ADDRESS), clock),
    clock,
  };
  const oauth = createOauth(config, storage, { byKey: authenticate, request: network.request, revocations, events });
  const mcp = createMcp(
    { operations: ofAgents, dispatch, random, publicUrl: config.public_url, onError: onRequestError },
    { revocations, clock, onError, sessionPool: budget.mcpSessions, requestPool: budget.mcpRequests },
  );
  const { sessions } = mcp;
  const documents = {
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
        countPage: countByNetwork(createRateLimit(clock, PAGES_PER_ADDRESS), clock),
        budget,
        clock,
        operations: routed,
        rest: calls,
        mcp: {
          ...calls,
          ...mcp,
          hostNames,
          publicUrl: config.public_url,
          authenticate: oauth.authenticate,
          challenge: oauth.challenge,
        },
        oauth: oauth.server,
        eventStream: { ...calls, feed, slots },
        documents,
        pages: createOwnerPages(needs, notices, { operations, dispatch, events }),
        console: {
          publicUrl: config.public_url,
          hostname: config.hostname,
          sessions: needs.ownerSessions,
          contracts,
          operations,
          dispatch,
          feed,
          streams: budget.consoleStreams,
        },
        stsPolicy: needs.offersTls
          ? { hostname: needs.hostname, isOwnDomain: (domain) => isLiveOwnDomain(store.read, domain) }
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

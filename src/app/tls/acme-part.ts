/** Certificates by ACME: the plain HTTP listener, the ways to prove a name, orders and renewals. */

import { type Config, servedZone } from '../../config/config.ts';
import { isWithin, parseDomain } from '../../kernel/address.ts';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { resolveHost } from '../../net/dns/mx.ts';
import { toBindings } from '../../net/ip/bindings.ts';
import { CHALLENGE_TYPES, type ChallengeResponder, type ChallengeType } from '../../net/tls/acme/challenge.ts';
import { type CertificateNames, createRenewal, type OrderOutcome } from '../../net/tls/acme/renewal.ts';
import { listPolicyDomains } from '../../store/accounts/policy-domains.ts';
import type { Challenges } from '../../transports/dns/challenges.ts';
import { formatServerAddress } from '../../transports/http/http-server.ts';
import { createPlainHttp } from '../../transports/http/plain-http.ts';
import { EVERY_MINUTE, type Job } from '../jobs.ts';
import type { Part } from '../part.ts';
import type { Base } from '../processing.ts';
import { cannotListen } from '../start-error.ts';
import { findRenewalRequest, putOrders, putRenewalRequest, type RenewalRequest } from './certificate-orders.ts';
import { keepFiles } from './kept-files.ts';
import { shareChallenges } from './shared-challenges.ts';

export interface AcmeParts extends Base {
  /** TXT values of the zone that the DNS server answers for. */
  challenges: Pick<Challenges, 'setChallenge' | 'removeChallenge'>;
}

/** How often DNS is checked for policy hosts that point here. */
const POLL_EVERY_MS: Millis = HOUR;

const challengeName = (name: string): string => `_acme-challenge.${name}`;

/**
 * The certificate of the host and of `public_url`; then one for each policy host (RFC 8461 section 3.3) that points
 * here.
 */
const createWanted = (config: Config, { storage, network }: AcmeParts) => {
  const { hostname, public_url } = config;
  const { clock } = storage.runtime;
  const { resolver, acme } = network;
  const publicHost = parseDomain(new URL(public_url).hostname);
  const own: CertificateNames = publicHost && publicHost !== hostname ? [hostname, publicHost] : [hostname];
  let policyHosts: CertificateNames[] = [];
  let polledAt: Millis | null = null;

  const leadsHere = async (name: string, here: readonly string[]): Promise<boolean> =>
    (await resolveHost(name, resolver)).addresses.some((address) => here.includes(address));

  const findPolicyHosts = async (): Promise<CertificateNames[]> => {
    const found: CertificateNames[] = [];
    const here = (await resolveHost(hostname, resolver)).addresses;
    for (const domain of await listPolicyDomains(storage.store.read)) {
      const name = `mta-sts.${domain}`;
      if (acme?.certificates.find(name) || (await leadsHere(name, here))) found.push([name]);
    }
    return found;
  };

  return async (): Promise<readonly CertificateNames[]> => {
    const now = clock.now();
    // Only after the first certificate, which must not wait for look-ups.
    if (acme?.certificates.find(hostname) && (polledAt === null || now >= polledAt + POLL_EVERY_MS)) {
      polledAt = now;
      policyHosts = await findPolicyHosts();
    }
    return [own, ...policyHosts];
  };
};

export interface AcmePart {
  /** Plain HTTP, on each box. */
  listeners: Part & { addresses: string[] };
  /** On the box that leads. */
  orders: Part;
}

export const createAcmePart = (config: Config, log: Log, parts: AcmeParts): AcmePart => {
  const { network, processing, challenges } = parts;
  const { tls, http, base_domain: baseDomain, public_url: publicUrl, budget: limits } = config;
  const { store, runtime } = parts.storage;
  const { clock } = runtime;
  const { acme } = network;
  if (!acme) return { listeners: { addresses: [] }, orders: {} };

  const plain = createPlainHttp();
  const inZone: ChallengeResponder = {
    answer: ({ name, keyAuthorization }) => challenges.setChallenge(challengeName(name), keyAuthorization),
    withdraw: ({ name, keyAuthorization }) => challenges.removeChallenge(challengeName(name), keyAuthorization),
  };
  const own = new Map<ChallengeType, ChallengeResponder>([
    ...(servedZone(config) !== null ? [['dns-01', inZone] as const] : []),
    ...(tls.http_listen.length > 0 ? [['http-01', plain] as const] : []),
    ['tls-alpn-01', acme.tlsAlpn],
  ]);
  const isShared = config.storage.url.engine === 'postgres';
  const shared = isShared ? shareChallenges(own, { store, onError: processing.onError }) : null;
  const responders = shared?.responders ?? own;
  const client = async () => {
    const [{ openAcmeAccount }, { createAcmeClient }] = await Promise.all([
      import('../../net/tls/acme/account.ts'),
      import('../../net/tls/acme/acme-client.ts'),
    ]);
    return createAcmeClient({
      directoryUrl: tls.acme_directory,
      account: await openAcmeAccount(acme.folder, tls.acme_directory),
      email: tls.acme_email,
      binding: tls.acme_eab_key_id ? { kid: tls.acme_eab_key_id, hmacKey: tls.acme_eab_hmac_key } : null,
      extraCa: network.extraCa,
      responders,
    });
  };
  const renewDue = createRenewal({
    certificates: acme.certificates,
    client,
    wanted: createWanted(config, parts),
    waysFor: (names) =>
      CHALLENGE_TYPES.filter(
        (type) => responders.has(type) && (type !== 'dns-01' || names.every((name) => isWithin(name, baseDomain))),
      ),
    clock,
    log,
  });
  const open: ReturnType<typeof plain.create>[] = [];
  let running: Promise<void> | null = null;
  let recorded = '';
  /** Records changes, and answers the operator's request. */
  const record = async (found: OrderOutcome[], answered: RenewalRequest | null): Promise<void> => {
    const states = JSON.stringify(found);
    if (states === recorded && !answered) return;
    await store.write(async (tx) => {
      await putOrders(tx, found);
      if (answered) await putRenewalRequest(tx, { ...answered, outcomes: found });
    });
    recorded = states;
  };
  const renew = async (): Promise<void> => {
    const request = await findRenewalRequest(store.read);
    const open = request?.outcomes === null ? request : null;
    const found = await renewDue(open?.asked);
    // An order that failed may have made an account.
    if (found.some(({ state }) => state === 'issued' || state === 'failed'))
      await keepFiles(acme.folder, parts.storage);
    await record(found, open);
  };
  const run = (): Promise<void> => {
    running ??= renew().finally(() => {
      running = null;
    });
    return running;
  };

  const listeners = {
    /** `host:port` of each plain HTTP listener, once started. */
    get addresses(): string[] {
      return open.map(({ server }) => formatServerAddress(server));
    },
    start: async () => {
      await shared?.others.start();
      for (const binding of toBindings(tls.http_listen)) {
        const settings = {
          budget: processing.budget,
          clock,
          headerSeconds: limits.http_header_seconds,
          giveWaySeconds: limits.give_way_seconds,
          trustedProxies: http.trusted_proxies,
          https: null,
        };
        const app = plain.create(settings, publicUrl, processing.onError);
        await app.listen(binding).catch((cause: unknown) => {
          const hint = 'tls.http_listen = [] does without it: certificates are then proven on the HTTPS port.';
          throw cannotListen(binding, cause, hint);
        });
        open.push(app);
      }
    },
    stop: async () => {
      await shared?.others.stop();
      await Promise.all(open.splice(0).map((app) => app.close()));
    },
  };
  const orders = {
    start: () => {
      // Not awaited: mail is received meanwhile, and a failure is tried again.
      run().catch(processing.onError);
    },
    jobs: [{ name: 'renew certificates', pattern: EVERY_MINUTE, run }] satisfies Job[],
  };
  return { listeners, orders };
};

/** Provides the doctor's checks with an open instance and the network. */

import { connect as connectSocket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Config } from '../../config/config.ts';
import type { DoctorNeeds, ExaminedDomain, ExaminedEmbeddings } from '../../doctor/check.ts';
import { examine } from '../../doctor/doctor.ts';
import type { Finding } from '../../doctor/finding.ts';
import { nextState } from '../../domains/check/domain-state.ts';
import { createEvents } from '../../events/publish-events.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { freeSpace } from '../../kernel/files/free-space.ts';
import { isNightly, listNotedBackups } from '../../kernel/files/written-backups.ts';
import { createResolver, type Resolver } from '../../net/dns/resolver.ts';
import { createGuardedHttp } from '../../net/http/guarded-client.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import { findSourceAddresses, listInterfaceAddresses } from '../../net/ip/own-addresses.ts';
import { listLiveDomains } from '../../store/accounts/domains.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { dataFilesOf, type FileVerdict } from '../../store/data-files.ts';
import { countUnembedded, findEmbeddingModel } from '../../store/knowledge/embeddings.ts';
import { nextDueTime } from '../../store/sending/delivery-queue.ts';
import { createChecks } from '../domains/domain-checks.ts';
import type { Instance } from '../instance.ts';
import { createEmbeddingHttp, probeEmbeddings } from '../knowledge/embeddings-part.ts';
import { findConfigWarnings } from '../start-warnings.ts';
import { findOrders } from '../tls/certificate-orders.ts';
import { readExtraCa } from '../tls/certificates.ts';
import type { Examined } from './open-examined.ts';
import { signInAtSmarthost } from './sign-in-at-smarthost.ts';

const DNS_TIME_OUT_MS = 5 * SECOND;
const CONNECT_TIME_OUT_MS = 8 * SECOND;
const MAX_DIRECTORY_BYTES = 64 * 1024;
/** Domains with a DNS check; `dns check` covers the others. */
const MAX_DOMAINS = 50;
/** Passages without a vector that are counted. */
const MAX_WAITING = 10_000;

const connect = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connectSocket({ host, port });
    const end = (reason: string | null): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(CONNECT_TIME_OUT_MS, () => end(`no answer within ${CONNECT_TIME_OUT_MS / SECOND} s`));
    socket.once('connect', () => end(null));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });

type Request = ReturnType<typeof createGuardedHttp>['request'];

/** By the Date field of the certificate authority's reply, to the second. */
const createClockOffset =
  ({ tls, outbound }: Config, request: Request, now: () => Millis) =>
  async (): Promise<Millis | null> => {
    if (tls.mode !== 'acme' || outbound.local_only) return null;
    try {
      const began = performance.now();
      const { headers } = await request({
        url: new URL(tls.acme_directory),
        method: 'GET',
        timeoutMs: CONNECT_TIME_OUT_MS,
        maxResponseBytes: MAX_DIRECTORY_BYTES,
      });
      const date = Date.parse(String(headers.date));
      return Number.isNaN(date) ? null : now() - date - (performance.now() - began) / 2;
    } catch {
      return null;
    }
  };

const createExamineDomains = (instance: Instance) => async (): Promise<ExaminedDomain[]> => {
  const { store, runtime } = instance;
  const events = createEvents(runtime.clock, runtime.random, () => {});
  const checks = createChecks(instance, events, { run: (_occupant, work) => work() }, async () => {});
  const domains = (await listLiveDomains(store.read, null)).filter(
    ({ kind, status }) => kind !== 'custom' || status !== 'pending',
  );
  const examined: ExaminedDomain[] = [];
  for (const domain of domains.slice(0, MAX_DOMAINS)) {
    const check = await checks.run(domain);
    const { result, isConclusive } = check;
    const { change } = nextState(domain, check, runtime.clock.now(), false);
    const workspace = domain.workspaceId && (await findWorkspaceById(store.read, domain.workspaceId));
    // The operator does not set records for guests.
    const isGuest = workspace !== null && workspace.claimHash !== null;
    const hints = [result.hint, ...result.records.map(({ hint }) => hint)].filter((hint) => hint !== null);
    examined.push({
      name: domain.name,
      isComplete: change.status === 'verified' || check.isWorking,
      isConclusive,
      isGuest,
      hints,
    });
  }
  return examined;
};

const createExamineEmbeddings =
  ({ config, store }: Instance, resolver: Resolver) =>
  async (): Promise<ExaminedEmbeddings | null> => {
    if (config.knowledge.embeddings.url === null) return null;
    const http = createEmbeddingHttp(resolver, readExtraCa(config));
    try {
      const model = await findEmbeddingModel(store.read);
      const waiting = model ? await countUnembedded(store.read, model.number, MAX_WAITING) : 0;
      const fault = (await store.findVectorFault()) ?? (await probeEmbeddings(config, http.request));
      return { fault, waiting, most: MAX_WAITING };
    } finally {
      http.close();
    }
  };

/** Null where the file cannot be read. */
const readSchema = async ({ storage }: Config): Promise<FileVerdict['schema'] | null> => {
  try {
    return await dataFilesOf(storage.url).schema();
  } catch {
    return null;
  }
};

const findLastNightly = async ({ storage, data_dir }: Config): Promise<Millis | null> => {
  if (!dataFilesOf(storage.url).hasBackups) return null;
  return (await listNotedBackups(data_dir)).findLast(isNightly)?.at ?? null;
};

export const examineInstance = async (
  { config, runtime, instance, ...faults }: Examined,
  about: Pick<DoctorNeeds, 'configPath' | 'configFaults' | 'isServing'>,
): Promise<Finding[]> => {
  const { clock } = runtime;
  const { source_addresses: named } = config.outbound;
  const resolver = createResolver({ servers: config.dns.resolvers, timeoutMs: DNS_TIME_OUT_MS, clock });
  const isAllowedPrivate = cidrMatcher(config.network.allow_private);
  const extraCa = readExtraCa(config);
  const http = createGuardedHttp({ resolver, isAllowedPrivate, extraCa });
  try {
    return await examine({
      ...about,
      ...faults,
      config,
      resolver,
      connect,
      freeSpace,
      now: clock.now(),
      configWarnings: findConfigWarnings(config),
      // Orders are kept, and over where files are named now.
      orderFault:
        config.tls.mode === 'acme' && instance ? ((await findOrders(instance.store.read))?.[0]?.reason ?? null) : null,
      schema: await readSchema(config),
      vaultState: instance && (await instance.vaultKeys.state(instance.store.read)),
      nextDueAt: instance && (await nextDueTime(instance.store.read)),
      lastNightlyAt: await findLastNightly(config),
      signIn: (smarthost) => signInAtSmarthost(smarthost, { resolver, localName: config.hostname, extraCa }),
      ownAddresses: listInterfaceAddresses(),
      sourceAddresses: named.length > 0 ? named : await findSourceAddresses(),
      clockOffset: createClockOffset(config, http.request, clock.now),
      examineServer: dataFilesOf(config.storage.url).server,
      examineDomains: instance ? createExamineDomains(instance) : async () => [],
      examineEmbeddings: instance ? createExamineEmbeddings(instance, resolver) : async () => null,
    });
  } finally {
    http.close();
  }
};

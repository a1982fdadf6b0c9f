/** Metrics on the private listener: of the process, of mail, and of queues. */

import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from '../../config/config.ts';
import { SECOND } from '../../kernel/clock.ts';
import { EVENT_NAMES } from '../../kernel/events.ts';
import { freeSpace } from '../../kernel/files/free-space.ts';
import type { MailOutcome } from '../../mail-log/mail-log.ts';
import { REASONS, type Reason } from '../../mail-log/reasons.ts';
import { dataFilesOf } from '../../store/data-files.ts';
import { countDue, nextDueTime } from '../../store/sending/delivery-queue.ts';
import { countHeldSends } from '../../store/sending/held-sends.ts';
import { formatServerAddress } from '../../transports/http/http-server.ts';
import { listenPrivately } from '../../transports/http/private-http.ts';
import type { Base } from '../processing.ts';
import { cannotListen } from '../start-error.ts';

export interface MetricsParts extends Base {
  readiness: () => Promise<{ ready: boolean; detail: object }>;
}

/** Rows counted at a scrape; a longer queue is reported as this. */
const MAX_COUNTED = 10_000;

const ALL_REASONS = Object.keys(REASONS) as Reason[];
const FIRST_LABELS: readonly (readonly [outcome: MailOutcome, reasons: readonly Reason[]])[] = [
  ['received', ['accepted', 'quarantined', 'filtered']],
  ['queued', ['to_send']],
  ['held', ['held']],
  ['decided', ['approved', 'not_released', 'turned_down', 'not_decided']],
  ['delivered', ['delivered']],
  ['login_failed', ['login_failed']],
  ['refused', ALL_REASONS],
  ['deferred', ALL_REASONS],
  ['bounced', ALL_REASONS],
  ['scanner_away', ['scanner_away']],
  ['webhook_off', ['webhook_off']],
];

/** The delays of the event loop that are told include it. */
const LOOP_PRECISION_MS = 100;

const createRegistry = (
  config: Config,
  { storage, network, processing }: Omit<MetricsParts, 'readiness'>,
): Registry => {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const { store, runtime } = storage;
  // Its own 10 ms wake an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, prefix: 'postroom_', eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  const mail = new Counter({
    name: 'postroom_mail_total',
    help: 'Lines of the mail log, by what became of a mail and why.',
    labelNames: ['outcome', 'reason'] as const,
    registers,
  });
  // Created at the start, so that an alert sees the first failure of a kind as an increase.
  for (const [outcome, reasons] of FIRST_LABELS) for (const reason of reasons) mail.inc({ outcome, reason }, 0);
  processing.mailLog.subscribe(({ mail: outcome, reason }) => mail.inc({ outcome, reason }));
  const events = new Counter({
    name: 'postroom_events_total',
    help: 'Events that were published, by name.',
    labelNames: ['name'] as const,
    registers,
  });
  for (const name of EVENT_NAMES) events.inc({ name }, 0);
  processing.events.subscribe(({ name }) => events.inc({ name }));
  const gauge = (name: string, help: string, read: () => Promise<number> | number): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  };
  gauge('postroom_queue_due', `Deliveries that are due and not claimed, up to ${MAX_COUNTED}.`, () =>
    countDue(store.read, runtime.clock.now(), MAX_COUNTED),
  );
  gauge('postroom_queue_late_seconds', 'For how long the longest waiting delivery has been due.', async () => {
    const dueAt = await nextDueTime(store.read);
    return dueAt === null ? 0 : Math.max(0, (runtime.clock.now() - dueAt) / SECOND);
  });
  gauge('postroom_held', `Mails that wait for a person, up to ${MAX_COUNTED}.`, () =>
    countHeldSends(store.read, MAX_COUNTED),
  );
  gauge('postroom_tasks_waiting', 'Tasks that wait for a worker thread.', () => processing.workers.waiting);
  const data = dataFilesOf(config.storage.url);
  gauge('postroom_data_bytes', 'Size of the data.', async () => (await data.size()) ?? 0);
  gauge('postroom_disk_free_bytes', 'Free room where the data is.', async () => {
    const { free } = await freeSpace(config.data_dir);
    return free;
  });
  if (network.certificate) {
    const { certificate } = network;
    gauge('postroom_certificate_expiry_seconds', "When the listeners' certificate ends, in Unix time.", () =>
      Math.floor(Date.parse(new X509Certificate(certificate.current.cert).validTo) / SECOND),
    );
  }
  return registry;
};

export const createMetricsPart = (config: Config, parts: MetricsParts) => {
  const registry = createRegistry(config, parts);
  let server: Server | null = null;
  return {
    /** `host:port`, once started. */
    get address(): string | null {
      return server && formatServerAddress(server);
    },
    start: async () => {
      const { private_listen: address } = config.http;
      const needs = {
        metrics: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
        readiness: async () => {
          const { ready, detail } = await parts.readiness();
          // Tells instances apart, where the one that is asked for does not run and another has its port.
          return { ready, detail: { ...detail, data_dir: config.data_dir } };
        },
        onError: parts.processing.onError,
      };
      server = await listenPrivately(address, needs).catch((cause: unknown) => {
        throw cannotListen(address, cause);
      });
    },
    stop: async () => {
      registry.clear();
      server?.closeAllConnections();
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    },
  };
};

/** Every SMTP listener, with the client limits that they share: a client's use is counted over all of them. */

import type { Server } from 'node:net';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/config-values.ts';
import type { Log } from '../kernel/log.ts';
import { checkIprev } from '../net/dns/iprev.ts';
import { toBindings } from '../net/ip/bindings.ts';
import { dataFilesOf } from '../store/data-files.ts';
import { formatServerAddress } from '../transports/http/http-server.ts';
import { createClientLimits } from '../transports/smtp/client-limits.ts';
import { closeListener, type Listener } from '../transports/smtp/listener.ts';
import { createOverload } from '../transports/smtp/overload.ts';
import { createRecordRefused } from '../transports/smtp/refused-line.ts';
import { createSmtpServer } from '../transports/smtp/smtp-server.ts';
import { createSubmissionServer } from '../transports/submission/submission-server.ts';
import type { Api } from './api.ts';
import type { Inbound } from './inbound.ts';
import type { Outbound } from './outbound.ts';
import type { Base } from './processing.ts';
import { cannotListen } from './start-error.ts';

export interface MailListenerParts extends Base {
  inbound: Inbound;
  outbound: Outbound;
  api: Pick<Api, 'authenticate'>;
}

export const createMailListeners = (
  config: Config,
  log: Log,
  { storage, network, processing, inbound, outbound, api }: MailListenerParts,
) => {
  const { smtp, submission, hostname } = config;
  const { clock } = storage.runtime;
  const { certificate, resolver } = network;
  const { budget, workers, revocations, mailLog, onError } = processing;
  const clientLimits = createClientLimits(smtp.limits, smtp.trusted, {
    budget,
    evictAfterSeconds: config.budget.give_way_seconds,
    clock,
  });
  const data = dataFilesOf(config.storage.url);
  const overload = createOverload(smtp.min_free_bytes, {
    clock,
    freeBytes: () => data.freeBytes(config.data_dir),
    onError,
  });
  const shared = { hostname, maxMessageBytes: smtp.max_message_bytes, limits: smtp.limits, proxies: smtp.proxies };
  const common = {
    budget,
    revocations,
    resolveRecipient: inbound.resolveRecipient,
    receive: inbound.receive,
    send: outbound.send,
    authenticate: api.authenticate,
    store: storage.store,
    workers,
    clock,
    checkIprev: (ip: string) => checkIprev(ip, resolver),
    log,
    onError,
    onRefused: createRecordRefused(mailLog),
    clientLimits,
    overload,
  };

  const listenOn = (addresses: readonly ListenAddress[], create: () => Listener): Promise<Listener[]> =>
    Promise.all(
      toBindings(addresses).map(async (binding) => {
        const listener = create();
        certificate?.subscribe((pair) => listener.useCertificate(pair));
        await listening(listener.listen(binding), binding);
        return listener;
      }),
    );
  const listenForSmtp = () =>
    listenOn(smtp.listen, () =>
      createSmtpServer({ ...shared, baseDomain: config.base_domain, tls: certificate?.current ?? null }, common),
    );
  /** Submission needs a certificate: passwords are accepted over TLS only. */
  const listenForSubmission = async (): Promise<Listener[]> => {
    if (!certificate) return [];
    const logins = {
      failedLoginsPerMinute: submission.failed_logins_per_minute,
      failedLoginDelaySeconds: submission.failed_login_delay_seconds,
    };
    return listenOn(submission.listen, () =>
      createSubmissionServer({ ...shared, ...logins, tls: certificate.current }, common),
    );
  };
  const open: Record<'smtp' | 'submission', Listener[]> = { smtp: [], submission: [] };

  return {
    /** `host:port` of each listener, once started. */
    addresses: (kind: keyof typeof open): string[] => open[kind].map(({ server }) => formatServerAddress(server)),
    start: async () => {
      open.smtp = await listenForSmtp();
      open.submission = await listenForSubmission();
    },
    stop: async () => {
      await Promise.all([...open.smtp, ...open.submission].map(closeListener));
    },
  };
};

/** @throws {StartError} where the server cannot listen on the address */
const listening = (server: Server, address: ListenAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (cause) => reject(cannotListen(address, cause)));
  });

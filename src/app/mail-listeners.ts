/** Every listener that speaks SMTP, and what they count together: one client is one client on all of them. */

import { statfs } from 'node:fs/promises';
import type { Server } from 'node:net';
import type { Authenticate } from '../access/authenticate-key.ts';
import type { Budget } from '../budget/budget.ts';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/config-values.ts';
import type { KeyEndings } from '../events/key-endings.ts';
import type { Receive } from '../inbound/receive.ts';
import type { ResolveRecipient } from '../inbound/resolve-recipient.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Iprev } from '../net/dns/iprev.ts';
import type { WatchedCertificate } from '../net/tls/certificate-files.ts';
import type { SendMail } from '../outbound/gate/send-request.ts';
import type { Store } from '../store/store.ts';
import { addressOf } from '../transports/http/http-server.ts';
import { closeListener, type Listener } from '../transports/smtp/listener.ts';
import { createOverload } from '../transports/smtp/overload.ts';
import { createSmtpServer } from '../transports/smtp/smtp-server.ts';
import { createTraffic } from '../transports/smtp/traffic.ts';
import { createSubmissionServer } from '../transports/submission/submission-server.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

export interface MailListenerNeeds {
  budget: Budget;
  endings: KeyEndings;
  resolveRecipient: ResolveRecipient;
  receive: Receive;
  send: SendMail;
  authenticate: Authenticate;
  store: Store;
  workers: WorkerPool;
  clock: Clock;
  checkIprev: (ip: string) => Promise<Iprev>;
  /** Null: no TLS, and so no submission. */
  certificate: WatchedCertificate | null;
  /** Resolves once the server listens there. */
  listen: (server: Server, address: ListenAddress) => Promise<void>;
  log: { info(fields: object, message: string): void };
  onError: (error: unknown) => void;
}

export interface MailListeners {
  /** `host:port` of each. */
  readonly smtp: string[];
  readonly submission: string[];
  close(): Promise<void>;
}

export const startMailListeners = async (config: Config, needs: MailListenerNeeds): Promise<MailListeners> => {
  const { smtp, submission, hostname } = config;
  const { clock, certificate, onError, workers } = needs;
  const traffic = createTraffic(smtp.limits, smtp.trusted, {
    budget: needs.budget,
    giveWaySeconds: config.budget.give_way_seconds,
    clock,
  });
  const overload = createOverload(
    { waitingMessages: config.budget.messages_waiting, minFreeBytes: smtp.min_free_bytes },
    { clock, waiting: () => workers.waiting, freeBytes: () => freeBytes(config.data_dir), onError },
  );
  const shared = { hostname, maxMessageBytes: smtp.max_message_bytes, limits: smtp.limits, proxies: smtp.proxies };
  const common = { ...needs, traffic, overload };

  const listenOn = (addresses: readonly ListenAddress[], create: () => Listener): Promise<Listener[]> =>
    Promise.all(
      addresses.map(async (address) => {
        const listener = create();
        certificate?.subscribe((pair) => listener.useCertificate(pair));
        await needs.listen(listener.listen(address.port, address.host), address);
        return listener;
      }),
    );
  const smtpListeners = await listenOn(smtp.listen, () =>
    createSmtpServer({ ...shared, baseDomain: config.base_domain, tls: certificate?.current ?? null }, common),
  );
  const submissionListeners = certificate
    ? await listenOn(submission.listen, () => {
        const logins = {
          failedLoginsPerMinute: submission.failed_logins_per_minute,
          failedLoginDelaySeconds: submission.failed_login_delay_seconds,
        };
        return createSubmissionServer({ ...shared, ...logins, tls: certificate.current }, common);
      })
    : [];
  return {
    smtp: smtpListeners.map(({ server }) => addressOf(server)),
    submission: submissionListeners.map(({ server }) => addressOf(server)),
    close: async () => {
      await Promise.all([...smtpListeners, ...submissionListeners].map(closeListener));
    },
  };
};

const freeBytes = async (path: string): Promise<number> => {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
};

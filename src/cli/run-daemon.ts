/** Runs the daemon until a signal stops it. */

import type { Logger } from 'pino';
import type { Runtime } from '../app/instance.ts';
import type { Config } from '../config/config.ts';
import { SECOND } from '../kernel/clock.ts';
import { codeOf } from '../kernel/text/message-of.ts';
import type { Succession } from '../store/store.ts';
import { CommandError, EXIT } from './failure.ts';

/** The documented bound of a stop. The parts of the daemon end earlier; this ends the process where one does not. */
const STOP_WITHIN_MS = 30 * SECOND;

/**
 * Resolves once the daemon has stopped cleanly.
 * @param told called where it waits until it leads, when all listeners are ready, after their log line, and
 *   when a signal requests the stop
 * @param configText the config as it is written
 * @throws {CommandError} where it cannot start
 */
export const runDaemon = async (
  config: Config,
  log: Logger,
  told: { standingBy?(): void; ready?(): void; stopping?(): void } = {},
  configText?: string,
): Promise<void> => {
  const end = Promise.withResolvers<{ signal: NodeJS.Signals | 'hand over' } | { why: string }>();
  let isStandingBy = false;
  // Before the start: a signal during it stops the daemon right after. A second one of a kind ends the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // It has begun nothing that has to end.
      if (isStandingBy) process.exit(EXIT.done);
      end.resolve({ signal });
    });
  }
  // Only the daemon's user may read files that it writes.
  process.umask(0o077);
  const succession: Succession = {
    onStandBy: () => {
      isStandingBy = true;
      log.info({}, 'standing by: another box leads, in an older version');
      told.standingBy?.();
    },
    onLost: (why) => end.resolve({ why }),
    onHandOver: () => end.resolve({ signal: 'hand over' }),
  };
  const daemon = await start(config, log, { store: { succession }, ...(configText !== undefined && { configText }) });
  isStandingBy = false;
  const { http, smtp, submission, dns, plainHttp, private: privately } = daemon;
  const others = { submission, dns, plain_http: plainHttp, private: privately };
  const listening = Object.entries(others).filter(([, addresses]) => addresses.length > 0);
  log.info({ http, smtp, ...Object.fromEntries(listening) }, 'ready');
  told.ready?.();
  const ended = await end.promise;
  if ('why' in ended) throw new CommandError(EXIT.refused, ended.why);
  const { signal } = ended;
  log.info({ signal }, 'stopping');
  told.stopping?.();
  setTimeout(() => {
    log.error({}, 'not stopped in time; what was under way goes on at the next start');
    process.exit(EXIT.refused);
  }, STOP_WITHIN_MS).unref();
  await daemon.stop();
  log.info({}, 'stopped');
  // As a failure, after which a service manager starts it again: another leads then.
  if (signal === 'hand over')
    throw new CommandError(
      EXIT.refused,
      'The box has handed over; started again, it serves beside the one that leads.',
    );
};

const start = async (config: Config, log: Logger, of: Pick<Runtime, 'store' | 'configText'>) => {
  // Loaded here, so that the other commands start without the servers.
  const [{ startDaemon }, { systemRuntime }] = await Promise.all([import('../app.ts'), import('../app/instance.ts')]);
  try {
    return await startDaemon(config, log, { ...systemRuntime, ...of });
  } catch (error) {
    throw listenFailure(error) ?? error;
  }
};

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program listens there: stop it, or set another address in the config.',
  EACCES: 'Ports below 1024 want root or CAP_NET_BIND_SERVICE, which the systemd unit gives.',
  EADDRNOTAVAIL: 'This machine has no such address: set another in the config.',
};

interface SystemError extends Error {
  code: string;
  syscall?: string;
}

const isSystemError = (error: unknown): error is SystemError => codeOf(error) !== null;

/** A StartError may name the address; its cause is the system's error. */
const listenFailure = (error: unknown): CommandError | null => {
  const system = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!isSystemError(system) || (system.syscall !== 'listen' && system.syscall !== 'bind')) return null;
  const message = error instanceof Error ? error.message : system.message;
  return new CommandError(EXIT.refused, `${message}. ${LISTEN_ADVICE[system.code] ?? ''}`.trimEnd(), { cause: error });
};

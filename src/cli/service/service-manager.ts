/**
 * What systemd is told of the daemon (sd_notify(3)). Node has no datagram sockets of the file system, so systemd-notify(1)
 * says it, from a process of its own: the unit has NotifyAccess=all.
 */

import { execFile } from 'node:child_process';
import type { Millis } from '../../kernel/clock.ts';

export interface ServiceManagerSettings {
  /** Whether a service manager waits to be told. */
  readonly listens: boolean;
  /** Without a sign of life for so long it restarts the daemon; null: it does not watch. */
  readonly watchdogMs: Millis | null;
}

export interface ServiceManager {
  ready(): void;
  stopping(): void;
}

/** Signs of life in each period of the watchdog: a late one ends nothing (sd_watchdog_enabled(3) asks for two). */
const SIGNS_A_PERIOD = 3;
const NOTIFY_WITHIN_MS = 10_000;

export const createServiceManager = (
  { listens, watchdogMs }: ServiceManagerSettings,
  log: { warn(fields: object, message: string): void },
): ServiceManager => {
  const tell = (...states: string[]): void => {
    if (!listens) return;
    execFile('systemd-notify', states, { timeout: NOTIFY_WITHIN_MS }, (err) => {
      if (err) log.warn({ err, states }, 'systemd could not be told');
    });
  };
  return {
    ready: () => {
      tell('READY=1');
      // On the main thread's loop: where that stands still, so do the signs.
      if (watchdogMs !== null) setInterval(() => tell('WATCHDOG=1'), watchdogMs / SIGNS_A_PERIOD).unref();
    },
    stopping: () => tell('STOPPING=1'),
  };
};

/**
 * Notifies systemd (sd_notify(3)). Node has no datagram sockets in the file system, so the process systemd-notify(1)
 * sends it: the unit has NotifyAccess=all.
 */

import { execFile } from 'node:child_process';
import type { Millis } from '../../kernel/clock.ts';

export interface ServiceManagerSettings {
  /** Whether a service manager expects notifications. */
  readonly listens: boolean;
  /** Without a heartbeat for so long it restarts the daemon; null: it does not. */
  readonly watchdogMs: Millis | null;
}

export interface ServiceManager {
  /** Also of use: it takes over as soon as it can. */
  standingBy(): void;
  ready(): void;
  stopping(): void;
}

/** Heartbeats in each period of the watchdog: a late one has no effect (sd_watchdog_enabled(3) recommends two). */
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
  let isBeating = false;
  const begin = (status: string): void => {
    tell('READY=1', `STATUS=${status}`);
    // Sent from the main thread's loop, so that a stalled loop stops them.
    if (watchdogMs !== null && !isBeating) setInterval(() => tell('WATCHDOG=1'), watchdogMs / SIGNS_A_PERIOD).unref();
    isBeating = true;
  };
  return {
    standingBy: () => begin('Standing by: another box leads'),
    ready: () => begin('Serving'),
    stopping: () => tell('STOPPING=1'),
  };
};

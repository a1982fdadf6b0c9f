/**
 * Liveness of a session's client. A connection may break and its stream be resumed, so a call continues without one
 * for the grace period; then its signal is aborted.
 */

import type { ServerResponse } from 'node:http';
import type { Millis } from '../../../kernel/clock.ts';
import { onceClosed } from '../../http/once-closed.ts';

export interface Liveness {
  /**
   * Registers a call with its answer in `response`.
   * @param canResume whether the client has a cursor, and so may resume
   * @returns aborted once the client is gone
   */
  attend(response: ServerResponse, canResume: boolean): AbortSignal;
  /** The client resumed a broken stream; calls without a connection continue while it reads. */
  resume(response: ServerResponse): void;
  /** Calls and streams that are connected now. */
  readonly connections: number;
  /** Aborts all calls. */
  end(): void;
}

/** @param graceMs how long a broken stream may stay so */
export const createLiveness = (graceMs: Millis): Liveness => {
  /** Calls without a connection, by the timer that ends their wait. */
  const lost = new Map<NodeJS.Timeout, readonly AbortController[]>();
  const attended = new Set<AbortController>();
  let connections = 0;

  const lose = (calls: readonly AbortController[], ms: Millis) => {
    if (calls.length === 0) return;
    const timer = setTimeout(() => {
      lost.delete(timer);
      abort(calls);
    }, ms);
    timer.unref();
    lost.set(timer, calls);
  };
  const find = (): AbortController[] => {
    const calls = [...lost.values()].flat();
    for (const timer of lost.keys()) clearTimeout(timer);
    lost.clear();
    return calls;
  };
  const abort = (calls: Iterable<AbortController>) => {
    for (const call of calls) {
      attended.delete(call);
      call.abort();
    }
  };
  const count = (response: ServerResponse, then: () => void) => {
    connections += 1;
    onceClosed(response, () => {
      connections -= 1;
      then();
    });
  };

  return {
    attend: (response, canResume) => {
      const call = new AbortController();
      attended.add(call);
      count(response, () => {
        // Closed by this server: the call has its answer.
        if (response.writableFinished) attended.delete(call);
        else if (canResume) lose([call], graceMs);
        else abort([call]);
      });
      return call.signal;
    },
    resume: (response) => {
      const calls = find();
      count(response, () => lose(calls, graceMs));
    },
    get connections() {
      return connections;
    },
    end: () => {
      abort(find());
      abort([...attended]);
    },
  };
};

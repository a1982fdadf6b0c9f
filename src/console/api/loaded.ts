/**
 * A screen's loaded value: none yet, the value, or the failure. The value stays shown while it is loaded again: after
 * events of the workspace, as they happen, and periodically for changes without an event.
 */

import { computed, effect, signal } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EventName } from '../../kernel/events.ts';
import { isModalOpen } from '../components/modal.ts';
import { type Call, requestsLeft } from './client.ts';
import { type Failure, toFailure } from './failure.ts';
import { workspace } from './session.ts';

export interface Loaded<T> {
  value: T | null;
  failure: Failure | null;
  /** Whether loading takes noticeably long without a value. */
  isSlow: boolean;
  reload(): Promise<void>;
  /** Shows another value at once: the answer of an act. */
  set(value: T): void;
}

const SLOW_MS = 200;
/** Between retries while the instance does not answer: it may be restarting. */
const AGAIN_MS = 3_000;

/** @param of the value's key; a new key, or workspace, drops the old value */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, of: string | null): Loaded<T> => {
  const key = of === null ? null : `${workspace.value?.slug} ${of}`;
  const [state, setState] = useState<{ key: string | null; value: T | null; failure: Failure | null }>({
    key,
    value: null,
    failure: null,
  });
  const [slowKey, setSlow] = useState<string | null>(null);
  const latest = useRef({ load, key });
  latest.current = { load, key };
  const running = useRef<AbortController | null>(null);

  const reload = useCallback(async () => {
    const { load: run, key: asked } = latest.current;
    if (asked === null) return;
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    try {
      const value = await run(controller.signal);
      if (!controller.signal.aborted) setState({ key: asked, value, failure: null });
    } catch (error) {
      if (controller.signal.aborted) return;
      const failure = toFailure(error);
      // Keeps the loaded value, and text that is being written beside it: the next refresh updates it.
      setState((before) =>
        before.key === asked && before.value !== null && (failure.isPassing || isModalOpen())
          ? before
          : { key: asked, value: null, failure },
      );
    }
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => setSlow(key), SLOW_MS);
    void reload();
    return () => {
      clearTimeout(timer);
      running.current?.abort();
    };
  }, [key]);

  useEffect(() => {
    if (!state.failure?.isAway) return;
    const timer = setTimeout(() => void reload(), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state.failure]);

  const isCurrent = state.key === key;
  const value = isCurrent ? state.value : null;
  const failure = isCurrent ? state.failure : null;
  return {
    value,
    failure,
    isSlow: value === null && failure === null && slowKey === key,
    reload,
    set: (next) => {
      // Ignores an answer for a former key.
      if (latest.current.key === key) setState({ key, value: next, failure: null });
    },
  };
};

/**
 * The answer of an operation.
 * @param input null: nothing is asked for yet
 * @param also what the answer changes with, beside the input
 */
export const useAnswer = <Input, Output>(
  call: Call<Input, Output>,
  input: Input | null,
  also: unknown = null,
): Loaded<Output> =>
  useLoaded(
    (signal) => call(input as Input, { signal }),
    input === null ? null : `${call.path} ${JSON.stringify([input, also])}`,
  );

/** Loads again when one of these values changes: the old value stays shown meanwhile. */
export const useReloadOn = ({ reload }: Pick<Loaded<unknown>, 'reload'>, of: readonly unknown[]): void => {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) void reload();
    isFirst.current = false;
  }, of);
};

export interface LiveEvent {
  /** `resumed`: events may have been missed until now. */
  event: EventName | 'resumed';
  data: Record<string, unknown>;
}

type Listener = (event: LiveEvent | null) => void;

/** Most changes by the command line have no event; those of held mail have. */
const REFRESH_EVERY_MS = 15_000;

const listeners = new Set<Listener>();
/** Whether the stream is open, so that the screen is up to date. */
export const isLive = signal(false);

const tell = (event: LiveEvent | null): void => {
  for (const listener of [...listeners]) listener(event);
};

const resume = (): void => {
  tell({ event: 'resumed', data: {} });
  tell(null);
};

export const startLive = (): void => {
  let source: EventSource | null = null;
  const open = (slug: string | undefined): void => {
    source?.close();
    if (slug === undefined) return;
    source = new EventSource(`/console/api/events?workspace=${encodeURIComponent(slug)}`);
    source.onopen = () => {
      isLive.value = true;
      // Loads the changes from while it was closed.
      resume();
    };
    source.onerror = () => {
      isLive.value = false;
    };
    source.onmessage = ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as LiveEvent);
  };
  const slug = computed(() => workspace.value?.slug);
  effect(() => open(slug.value));
  setInterval(() => {
    // A browser reconnects by itself, but not after a refusal, such as a proxy's while the instance starts.
    if (source?.readyState === EventSource.CLOSED) open(workspace.value?.slug);
    if (document.visibilityState === 'visible') tell(null);
  }, REFRESH_EVERY_MS);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') resume();
  });
};

/** Before the first refresh after an event, and between two refreshes: what is held shows within a second. */
const SOON_MS = 50;
const APART_MS = 800;
/** Between two refreshes where few requests are left, which are kept for the owner's own acts. */
const FAR_APART_MS = 5_000;
const FEW_REQUESTS = 300;

/** Each event as it comes. */
export const useEvents = (hear: (event: LiveEvent) => void): void => {
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const listener: Listener = (event) => event && latest.current(event);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
};

/**
 * Calls `refresh` soon after an event that `concerns` selects, once for several; null stands for the periodic refresh.
 * A pending call survives a new render of the screen.
 */
export const useLive = (concerns: (event: LiveEvent | null) => boolean, refresh: () => void): void => {
  const latest = useRef({ concerns, refresh });
  latest.current = { concerns, refresh };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last = Number.NEGATIVE_INFINITY;
    const listener: Listener = (event) => {
      if (!latest.current.concerns(event)) return;
      const apart = requestsLeft < FEW_REQUESTS ? FAR_APART_MS : APART_MS;
      timer ??= setTimeout(
        () => {
          timer = null;
          last = performance.now();
          latest.current.refresh();
        },
        Math.max(SOON_MS, last + apart - performance.now()),
      );
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
};

/** Loads again at each periodic refresh, and soon after an event with such a name. */
export const useReloadAfter = (names: RegExp, ...shown: readonly Pick<Loaded<unknown>, 'reload'>[]): void =>
  useLive(
    (event) => event === null || names.test(event.event),
    () => {
      for (const { reload } of shown) void reload();
    },
  );

/** Loads again what has no event, at each periodic refresh. Not under a dialog, which a deletion would close. */
export const useRefresh = (...shown: readonly Pick<Loaded<unknown>, 'reload'>[]): void =>
  useLive(
    (event) => event === null,
    () => {
      if (isModalOpen()) return;
      for (const { reload } of shown) void reload();
    },
  );

/** The answer of an operation, kept up to date as by `useRefresh`. */
export const useRefreshed = <Input, Output>(call: Call<Input, Output>, input: Input): Loaded<Output> => {
  const loaded = useAnswer(call, input);
  useRefresh(loaded);
  return loaded;
};

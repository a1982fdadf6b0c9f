/** Events of the workspace as they happen, and a periodic refresh for changes without an event. */

import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventName } from '../../kernel/events.ts';
import { isModalOpen } from '../components/modal.ts';
import { type Call, requestsLeft } from './client.ts';
import { type Loaded, useAnswer } from './loaded.ts';
import { workspace } from './session.ts';

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

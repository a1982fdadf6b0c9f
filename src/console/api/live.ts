/** Events of the workspace as they happen, and a look now and then at what has no event. */

import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventName } from '../../kernel/events.ts';
import { isModalOpen } from '../pieces/modal.ts';
import type { Loaded } from './loaded.ts';
import { workspace } from './session.ts';

export interface LiveEvent {
  /** `resumed`: events may have been missed until now. */
  event: EventName | 'resumed';
  data: Record<string, unknown>;
}

type Listener = (event: LiveEvent | null) => void;

/** Most of what the command line changes has no event; held mail has. */
const LOOK_EVERY_MS = 15_000;

const listeners = new Set<Listener>();
/** Whether the stream is open: what is shown is as fresh as it can be. */
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
      // What has happened while it was closed.
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
    // A browser opens a stream anew by itself, but not one that was refused once, as by a proxy while the instance starts.
    if (source?.readyState === EventSource.CLOSED) open(workspace.value?.slug);
    if (document.visibilityState === 'visible') tell(null);
  }, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') resume();
  });
};

const SOON_MS = 400;

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
 * Calls `refresh` soon after what `concerns` picks, once for many at a time; null stands for a look without an event. What
 * waits outlives a screen that is drawn anew meanwhile.
 */
export const useLive = (concerns: (event: LiveEvent | null) => boolean, refresh: () => void): void => {
  const latest = useRef({ concerns, refresh });
  latest.current = { concerns, refresh };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const listener: Listener = (event) => {
      if (!latest.current.concerns(event)) return;
      timer ??= setTimeout(() => {
        timer = null;
        latest.current.refresh();
      }, SOON_MS);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
};

/**
 * Loads anew at each look what has no event. Not under a dialog: what was deleted meanwhile would take its form along.
 */
export const useLooks = (...shown: readonly Pick<Loaded<unknown>, 'reload'>[]): void =>
  useLive(
    (event) => event === null,
    () => {
      if (isModalOpen()) return;
      for (const { reload } of shown) void reload();
    },
  );

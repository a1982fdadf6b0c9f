/** Threads, the latest first, a page at a time. New ones move nothing under the reader: they wait to be shown. */

import { useRef, useState } from 'preact/hooks';
import { useReloadAfter } from '../api/loaded.ts';
import { usePaged } from '../components/pager.tsx';

interface ThreadPage<T> {
  threads: T[];
  next_cursor: string | null;
}

/** @param key identifies the list */
export const useThreadPages = <T extends { id: string; last_message_at: string }>(
  key: string,
  load: Parameters<typeof usePaged<ThreadPage<T>>>[1],
) => {
  const [fresh, setFresh] = useState<readonly T[]>([]);
  const present = useRef<ThreadPage<T> | null>(null);
  /** Whether the reader waits for the page as it is now. */
  const isAsked = useRef(false);
  const { page, pages } = usePaged(key, async (at, options) => {
    const latest = await load(at, options);
    const { current } = present;
    const newest = current?.threads[0]?.last_message_at;
    const isNew = (thread: T): boolean => newest !== undefined && thread.last_message_at > newest;
    const news = isAsked.current ? [] : latest.threads.filter(isNew);
    isAsked.current = false;
    setFresh(news);
    if (!current || news.length === 0) return latest;
    // Read marks and archivings show at once, new threads wait above, and those that they push off the page stay.
    const byId = new Map(latest.threads.map((thread) => [thread.id, thread]));
    const oldest = latest.next_cursor === null ? '' : (latest.threads.at(-1)?.last_message_at ?? '');
    const stays = (thread: T): T[] => (thread.last_message_at < oldest ? [thread] : []);
    return { ...current, threads: current.threads.flatMap((thread) => byId.get(thread.id) ?? stays(thread)) };
  });
  present.current = page.value;
  useReloadAfter(/^message\./, page);
  const reload = (): Promise<void> => {
    isAsked.current = true;
    return page.reload();
  };
  const threads = page.value?.threads ?? [];
  // A listed thread with a new message stays in its place.
  const shown = new Set(threads.map(({ id }) => id));
  return { page: { ...page, reload }, pages, threads, fresh: fresh.filter(({ id }) => !shown.has(id)) };
};

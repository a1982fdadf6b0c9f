/** Threads, the latest first, a page at a time. New ones move nothing under the reader: they wait to be shown. */

import { useRef, useState } from 'preact/hooks';
import { useLive } from '../api/live.ts';
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
  const { page, pages, isFirst } = usePaged(key, load);
  const threads = page.value?.threads ?? [];
  // An answer meets what is shown by then: a list that was reloaded meanwhile stays.
  const present = useRef(page.value);
  present.current = page.value;
  useLive(
    (event) => event === null || event.event.startsWith('message.'),
    () => {
      if (!isFirst) return;
      void load({}, {}).then(
        (latest) => {
          if (present.current === null) return;
          const { threads: listed } = present.current;
          const newest = listed[0]?.last_message_at ?? '';
          const news = latest.threads.filter(({ last_message_at: at }) => at > newest);
          const byId = new Map(latest.threads.map((thread) => [thread.id, thread]));
          // Read marks and archivings show at once; new threads wait above.
          if (listed.length === 0 || news.length === 0) page.set(latest);
          else page.set({ ...present.current, threads: listed.map((thread) => byId.get(thread.id) ?? thread) });
          setFresh(listed.length === 0 ? [] : news);
        },
        () => undefined,
      );
    },
  );
  const showFresh = (): void => {
    setFresh([]);
    void page.reload();
  };
  // Removes listed threads from the waiting ones.
  const shown = new Map(threads.map(({ id, last_message_at: at }) => [id, at]));
  const waiting = fresh.filter(({ id, last_message_at: at }) => (shown.get(id) ?? '') < at);
  return { page, pages, threads, fresh: waiting, showFresh };
};

/** A PDF in a frame of an origin of its own, which is handed the bytes and can ask for nothing itself. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface PdfViewProps {
  href: string;
  title: string;
  /** The top of the first page alone. */
  isFirstOnly?: boolean;
  /** @param pages 0: it cannot be drawn */
  tell?: (pages: number) => void;
  /** Called at Escape. */
  onLeave?: () => void;
}

/** Its policy sandboxes it. Under a `sandbox` attribute WebKit would refuse its script: `'self'` matches no opaque origin. */
const FRAME = '/console/frame/pdf';

/** What the frame says. */
interface Said {
  isReady?: unknown;
  pages?: unknown;
  isLeft?: unknown;
}

/** What a busy machine takes to pass a message on. */
const READY_MS = 2_000;

const fetchBytes = async (href: string): Promise<ArrayBuffer> => {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`${response.status}`);
  return response.arrayBuffer();
};

/** Longer than a frame takes until it says that it draws nothing. */
const TURN_MS = 15_000;
/** Three at once, so that one that takes long delays a third of the others. */
const lanes = Array.from({ length: 3 }, () => Promise.resolve());
let asked = 0;

/**
 * First pages are drawn where the reader can see them, a few at once. A thread has as many as its senders want, and each
 * frame loads a program of its own.
 */
const useTurn = (isFirstOnly: boolean) => {
  const place = useRef<HTMLDivElement>(null);
  const [isDue, setDue] = useState(!isFirstOnly);
  const end = useRef<() => void>();
  useEffect(() => {
    if (!place.current) return;
    const watcher = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      watcher.disconnect();
      const { promise, resolve } = Promise.withResolvers<void>();
      end.current = resolve;
      asked += 1;
      const lane = asked % lanes.length;
      lanes[lane] = (lanes[lane] ?? Promise.resolve()).then(() => {
        setTimeout(resolve, TURN_MS);
        setDue(true);
        return promise;
      });
    });
    watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      end.current?.();
    };
  }, []);
  return { place, isDue, end: () => end.current?.() };
};

export const PdfView = ({ href, title, isFirstOnly = false, tell, onLeave }: PdfViewProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const told = useRef(tell);
  told.current = tell;
  const { place, isDue, end } = useTurn(isFirstOnly);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  // Listens before the frame can load.
  useLayoutEffect(() => {
    const element = frame.current;
    let isReady = false;
    let timer: number | undefined;
    const say = (pages: number): void => {
      end();
      told.current?.(pages);
    };
    const hand = (): void => {
      fetchBytes(href).then(
        (bytes) => element?.contentWindow?.postMessage({ bytes, isFirstOnly }, '*', [bytes]),
        () => say(0),
      );
    };
    const hear = ({ source, data }: MessageEvent<Said | null>): void => {
      if (source !== element?.contentWindow || !data) return;
      isReady = true;
      if (data.isLeft) leave.current?.();
      else if (data.isReady) hand();
      else say(Number.isSafeInteger(data.pages) ? (data.pages as number) : 0);
    };
    addEventListener('message', hear);
    // Its script runs before this, and says so, or has not come.
    const wait = (): void => {
      timer = window.setTimeout(() => isReady || say(0), READY_MS);
    };
    element?.addEventListener('load', wait);
    return () => {
      clearTimeout(timer);
      removeEventListener('message', hear);
      element?.removeEventListener('load', wait);
    };
  }, [href, isFirstOnly, isDue]);
  if (!isDue) return <div ref={place} />;
  return <iframe ref={frame} src={FRAME} title={title} referrerpolicy="no-referrer" tabIndex={isFirstOnly ? -1 : 0} />;
};

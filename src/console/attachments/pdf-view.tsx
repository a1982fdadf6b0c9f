/** A PDF in a frame of an origin of its own, which is handed the bytes and can ask for nothing itself. */

import { useEffect, useRef } from 'preact/hooks';

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

const FRAME = '/console/frame/pdf';

const fetchBytes = async (href: string): Promise<ArrayBuffer> => {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`${response.status}`);
  return response.arrayBuffer();
};

export const PdfView = ({ href, title, isFirstOnly = false, tell, onLeave }: PdfViewProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const told = useRef(tell);
  told.current = tell;
  const leave = useRef(onLeave);
  leave.current = onLeave;
  useEffect(() => {
    const element = frame.current;
    const hear = ({ source, data }: MessageEvent<{ pages?: unknown; isLeft?: unknown } | null>): void => {
      if (source !== element?.contentWindow || !data) return;
      if (data.isLeft) leave.current?.();
      else told.current?.(Number.isSafeInteger(data.pages) ? (data.pages as number) : 0);
    };
    const hand = (): void => {
      fetchBytes(href).then(
        (bytes) => element?.contentWindow?.postMessage({ bytes, isFirstOnly }, '*', [bytes]),
        () => told.current?.(0),
      );
    };
    addEventListener('message', hear);
    element?.addEventListener('load', hand);
    return () => {
      removeEventListener('message', hear);
      element?.removeEventListener('load', hand);
    };
  }, [href, isFirstOnly]);
  return (
    <iframe
      ref={frame}
      src={FRAME}
      title={title}
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      tabIndex={isFirstOnly ? -1 : 0}
    />
  );
};

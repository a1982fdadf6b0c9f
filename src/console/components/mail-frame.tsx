/** The HTML of a mail, in a frame without scripts; images of other hosts load only on the reader's request. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf } from '../api/client.ts';

interface MailFrameProps {
  /** The operation that answers with the HTML: `mail/html`. */
  path: string;
  input: Readonly<Record<string, string>>;
  isRemote: boolean;
  title: string;
}

const LEAST_HEIGHT = 24;
/** Maximum height; a longer mail scrolls within its frame. */
const MOST_HEIGHT = 12_000;

const FIRST_HEIGHT = 120;

/** The last height by mail and by operation: a frame begins with its own, or with that of the mail before. */
const heights = new Map<string, number>();

const themeNow = (): string => document.documentElement.dataset.theme ?? 'system';

export const MailFrame = ({ path, input, isRemote, title }: MailFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const mail = `${path} ${JSON.stringify(input)} ${isRemote}`;
  const [height, setHeight] = useState(heights.get(mail) ?? heights.get(path) ?? FIRST_HEIGHT);
  const [isMeasured, setMeasured] = useState(heights.has(mail));
  const [theme, setTheme] = useState(themeNow);
  useEffect(() => {
    const watcher = new MutationObserver(() => setTheme(themeNow()));
    watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let watcher: ResizeObserver | null = null;
    const measure = (): void => {
      setMeasured(true);
      const body = element.contentDocument?.body;
      if (!body) return;
      const fit = (): void => {
        // A mail that is wider than the frame has a scroll bar below it.
        const bar = element.clientHeight - body.ownerDocument.documentElement.clientHeight;
        const fitting = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, body.scrollHeight) + bar);
        heights.set(mail, fitting);
        heights.set(path, fitting);
        setHeight(fitting);
      };
      watcher?.disconnect();
      watcher = new ResizeObserver(fit);
      watcher.observe(body);
      fit();
    };
    element.addEventListener('load', measure);
    return () => {
      element.removeEventListener('load', measure);
      watcher?.disconnect();
    };
  }, [mail]);
  return (
    <iframe
      ref={frame}
      class={isMeasured ? 'mail-frame' : 'mail-frame unmeasured'}
      title={title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
      height={height}
      src={addressOf('frame', path, { ...input, remote: isRemote, theme })}
    />
  );
};

/**
 * Shows a PDF in a sandboxed frame of an opaque origin: it has neither the console's cookie nor its page, and its
 * policy forbids requests. It says that it is ready; the console passes the bytes, and receives the number of pages, or
 * 0 for a failure.
 */

import type { DrawAnswer, DrawAsked } from './draw.ts';
import DrawWorker from './draw.ts?worker&inline';

interface Asked {
  bytes: ArrayBuffer;
  isFirstOnly: boolean;
}

const MAX_PAGES = 40;
/** For the opening, and for each page: then the worker is ended, whatever it does. */
const MAX_STEP_MS = 10_000;

/** Shows pages until one fails. @returns how many the document has; 0: none could be shown */
const show = async ({ bytes, isFirstOnly }: Asked): Promise<number> => {
  document.body.classList.toggle('first', isFirstOnly);
  const worker = new DrawWorker();
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ port: port2 }, [port2]);
  const ask = (asked: DrawAsked, handed: Transferable[]): Promise<number> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_STEP_MS, 0);
      port.onmessage = ({ data }: MessageEvent<DrawAnswer>) => {
        clearTimeout(timer);
        resolve(data.pages);
      };
      port.postMessage(asked, handed);
    });
  try {
    const pages = await ask({ bytes }, [bytes]);
    if (pages === 0) return 0;
    for (let number = 1; number <= (isFirstOnly ? 1 : Math.min(MAX_PAGES, pages)); number += 1) {
      const element = document.createElement('canvas');
      document.body.append(element);
      const width = element.clientWidth * devicePixelRatio;
      const canvas = element.transferControlToOffscreen();
      if ((await ask({ page: { number, canvas, width } }, [canvas])) > 0) continue;
      element.remove();
      return number === 1 ? 0 : pages;
    }
    return pages;
  } finally {
    worker.terminate();
  }
};

// Keys that are pressed here do not reach the page around it.
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') parent.postMessage({ isLeft: true }, '*');
});

addEventListener('message', ({ data, source }: MessageEvent<Asked>) => {
  if (source !== parent || origin !== 'null') return;
  show(data).then(
    (pages) => parent.postMessage({ pages }, '*'),
    () => parent.postMessage({ pages: 0 }, '*'),
  );
});
parent.postMessage({ isReady: true }, '*');

/**
 * Draws a PDF in a sandboxed frame of an opaque origin: it has neither the console's cookie nor its page, and its
 * policy forbids requests. The console passes the bytes, and receives the number of pages, or 0 for a failure.
 */

import { getDocument, VerbosityLevel } from 'unpdf/pdfjs';

interface Asked {
  bytes: ArrayBuffer;
  isFirstOnly: boolean;
}

const MAX_PAGES = 40;
/** Limit of a canvas side: a page may declare any size. */
const MAX_SIDE = 4_000;

const draw = async ({ bytes, isFirstOnly }: Asked): Promise<number> => {
  document.body.classList.toggle('first', isFirstOnly);
  const pdf = await getDocument({
    data: new Uint8Array(bytes),
    useWasm: false,
    disableFontFace: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  for (let number = 1; number <= (isFirstOnly ? 1 : Math.min(MAX_PAGES, pdf.numPages)); number += 1) {
    const page = await pdf.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const canvas = document.createElement('canvas');
    document.body.append(canvas);
    const wanted = canvas.clientWidth * devicePixelRatio;
    const scale = Math.min(wanted / width, MAX_SIDE / width, MAX_SIDE / height);
    const viewport = page.getViewport({ scale });
    canvas.width = Math.max(1, Math.round(viewport.width));
    canvas.height = Math.max(1, Math.round(viewport.height));
    await page.render({ canvas, viewport }).promise;
  }
  return pdf.numPages;
};

// Keys that are pressed here do not reach the page around it.
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') parent.postMessage({ isLeft: true }, '*');
});

addEventListener('message', ({ data, source }: MessageEvent<Asked>) => {
  if (source !== parent) return;
  draw(data).then(
    (pages) => parent.postMessage({ pages }, '*'),
    () => parent.postMessage({ pages: 0 }, '*'),
  );
});

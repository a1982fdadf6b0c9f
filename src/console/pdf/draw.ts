/**
 * Draws pages of a PDF in a worker, which frame.ts ends where it takes too long. The console shares a thread with the
 * frame, and a document may ask for any amount of work.
 */

import { getDocument, VerbosityLevel } from 'unpdf/pdfjs';

export interface DrawAsked {
  bytes?: ArrayBuffer;
  /** One page: its number, its canvas, and the width in pixels. */
  page?: { number: number; canvas: OffscreenCanvas; width: number };
}

/** The number of pages, of bytes; 0: they cannot be read. */
export interface DrawAnswer {
  pages: number;
}

/** Limit of a canvas side: a page may declare any size. */
const MAX_SIDE = 4_000;

type Pair = { canvas: OffscreenCanvas | null; context: OffscreenCanvasRenderingContext2D | null };

/** Canvases of the library's own; there is no document in a worker. */
class Canvases {
  create(width: number, height: number): Pair {
    const canvas = new OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext('2d') };
  }
  reset({ canvas }: Pair, width: number, height: number): void {
    if (canvas) Object.assign(canvas, { width, height });
  }
  destroy(pair: Pair): void {
    this.reset(pair, 0, 0);
    Object.assign(pair, { canvas: null, context: null });
  }
}

/** Filters are elements of a document: none is applied. */
class NoFilters {
  addFilter = () => 'none';
  addHCMFilter = () => 'none';
  addAlphaFilter = () => 'none';
  addLuminosityFilter = () => 'none';
  addHighlightHCMFilter = () => 'none';
  destroy(): void {}
}

type Pdf = Awaited<ReturnType<typeof getDocument>['promise']>;
let pdf: Pdf | null = null;

const open = async (bytes: ArrayBuffer): Promise<void> => {
  pdf = await getDocument({
    data: new Uint8Array(bytes),
    useWasm: false,
    disableFontFace: true,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
    CanvasFactory: Canvases,
    FilterFactory: NoFilters,
  }).promise;
};

const draw = async ({ number, canvas, width: wanted }: NonNullable<DrawAsked['page']>): Promise<void> => {
  const page = await pdf?.getPage(number);
  if (!page) return;
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: Math.min(wanted / width, MAX_SIDE / width, MAX_SIDE / height) });
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
};

const answer = async ({ bytes, page }: DrawAsked): Promise<DrawAnswer> => {
  try {
    if (bytes) await open(bytes);
    if (page) await draw(page);
    return { pages: pdf?.numPages ?? 0 };
  } catch {
    return { pages: 0 };
  }
};

// A port of its own: the library takes the worker's for itself.
addEventListener('message', ({ data: { port } }: MessageEvent<{ port?: MessagePort }>) => {
  if (!port) return;
  port.onmessage = async ({ data }: MessageEvent<DrawAsked>) => port.postMessage(await answer(data));
});

/**
 * Builds the owners' console from src/console into build/console: bundled by Vite, each file also as .br and .gz.
 * `--if-stale` builds only where the sources, or the packages, are others than those of the last build.
 */

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src/console');
const TARGET = join(ROOT, 'build/console');
const STAMP = join(TARGET, 'built-from');
/** Below it compression saves less than it costs. */
const FEWEST_BYTES = 512;
const IS_TEXT = /\.(?:html|js|css|svg|json)$/;

const hashSources = (): string => {
  const hash = createHash('sha256');
  const files = globSync('**/*.*', { cwd: SOURCE }).sort();
  for (const file of files) hash.update(file).update(readFileSync(join(SOURCE, file)));
  for (const file of ['package-lock.json', 'scripts/build-console.ts']) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
};

const isFresh = (sources: string): boolean => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources;

const compress = (folder: string): void => {
  for (const file of globSync('**/*.*', { cwd: folder })) {
    const path = join(folder, file);
    const bytes = readFileSync(path);
    if (!IS_TEXT.test(file) || bytes.length < FEWEST_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
};

const buildConsole = async (sources: string): Promise<void> => {
  // Beside the target, so that a daemon that serves the last build has it until the new one is whole.
  const fresh = `${TARGET}.new`;
  rmSync(fresh, { recursive: true, force: true });
  await build({
    root: SOURCE,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
      outDir: fresh,
      emptyOutDir: true,
      manifest: 'manifest.json',
      // index.html names these to older ones. They are the first with light-dark(); Firefox 125, with popovers.
      target: ['chrome123', 'firefox125', 'safari17.5'],
      // Fonts and images as data: URLs would need a wider Content-Security-Policy.
      assetsInlineLimit: 0,
      // The script that draws PDFs, in kB.
      chunkSizeWarningLimit: 2_000,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: {
          console: join(SOURCE, 'index.html'),
          'sign-in': join(SOURCE, 'sign-in/sign-in-script.ts'),
          pdf: join(SOURCE, 'pdf/frame.html'),
          worker: join(SOURCE, 'told/worker.ts'),
        },
      },
    },
  });
  compress(fresh);
  writeFileSync(join(fresh, 'built-from'), sources);
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(join(TARGET, '..'), { recursive: true });
  renameSync(fresh, TARGET);
};

const sources = hashSources();
if (!process.argv.includes('--if-stale') || !isFresh(sources)) {
  const began = Date.now();
  await buildConsole(sources);
  console.error(`The console is built, in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

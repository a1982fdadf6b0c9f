/**
 * Builds the server from src into build/server: the code and its libraries in few files, the types taken off without a
 * check of them, and the pages and styles that the server reads. One file is read and compiled more quickly than a
 * thousand, and takes less memory. `--if-stale` builds only where the sources are others than those of the last build.
 */

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { APART } from './release-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const TARGET = join(ROOT, 'build/server');
/** Beside the target, so that a daemon that starts meanwhile has the last build until the new one is whole. */
const FRESH = `${TARGET}.new`;
const STAMP = 'built-from';
const OTHERS = ['tsconfig.json', 'package-lock.json', 'scripts/build-server.ts', 'scripts/release-packages.ts'];
/** What is started, or asked by the installer: each a file of its name in build/server. */
const ENTRIES = [
  'main.ts',
  'cli/local/local.ts',
  'cli/config-file.ts',
  'config/config.ts',
  'net/ip/bindings.ts',
  'workers/entry.ts',
  'store/sqlite/backup/backup-thread.worker.ts',
  'store/sqlite/search-threads.worker.ts',
  'store/sqlite/text-index/indexer.worker.ts',
  'store/postgres/search/searching.worker.ts',
  'store/postgres/search/words.worker.ts',
];
/** What is read beside the code. */
const FILES = [
  'docs/*.*',
  'docs/{clients,operate}/*.md',
  'docs/files/*.{md,json}',
  'transports/pages/*.css',
  'console/styles/tokens.css',
];
/** A worker thread is started by the path of its file. */
const WORKER = /\bnew URL\('\.\/(?:[\w-]+\/)?([\w.-]+)\.ts', import\.meta\.url\)/g;

/** What a source finds by its own place it finds from where all code is. */
const places: Plugin = {
  name: 'places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      if (!code.includes('import.meta.url')) return null;
      const place = relative(join(ROOT, 'src'), path).replace(/\.ts$/, '.js');
      const contents = code
        .split(WORKER)
        .map((part, at) =>
          at % 2 === 1
            ? `new URL('./${part}.js', import.meta.url)`
            : part.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url).href`),
        )
        .join('');
      return { contents, loader: 'ts' };
    });
  },
};

/** To import `node:http` loads Node's client for fetch as well, a tenth of a start; to require it does not. */
const required: Plugin = {
  name: 'required',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:node:)?https?$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }));
  },
};

const hashSources = (): string => {
  const hash = createHash('sha256');
  const sources = globSync(['src/**/*.ts', ...FILES.map((each) => `src/${each}`)], { cwd: ROOT });
  for (const file of [...sources.sort(), ...OTHERS]) hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
};

const isFresh = (sources: string): boolean => {
  const stamp = join(TARGET, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sources;
};

const buildServer = async (sources: string): Promise<void> => {
  rmSync(FRESH, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => ({ in: `src/${entry}`, out: basename(entry, '.ts') })),
    outdir: FRESH,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // A source stays in memory as long as its functions. Names stay as they are, for the traces of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    external: APART,
    plugins: [places, required],
    // For libraries of CommonJS that ask for Node's own modules. A name of ours: one of theirs would be declared twice.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const file of globSync(FILES, { cwd: join(ROOT, 'src') })) {
    mkdirSync(dirname(join(FRESH, file)), { recursive: true });
    copyFileSync(join(ROOT, 'src', file), join(FRESH, file));
  }
  // unpdf finds the character maps of Chinese, Japanese and Korean PDFs beside the code, as in a package of this name.
  for (const each of ['package.json', 'cmaps']) {
    const path = join('node_modules/pdfjs-dist', each);
    cpSync(join(ROOT, path), join(FRESH, path), { recursive: true });
  }
  writeFileSync(join(FRESH, STAMP), sources);
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(FRESH, TARGET);
};

const sources = hashSources();
if (!process.argv.includes('--if-stale') || !isFresh(sources)) {
  const began = Date.now();
  await buildServer(sources);
  console.error(`The server is built, in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

/**
 * Builds the server from src into build/server: the types stripped by tsc, without a check of them, and the pages and
 * styles that the server reads. `--if-stale` builds only where the sources are others than those of the last build.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TARGET = join(ROOT, 'build/server');
/** Beside the target, so that a daemon that starts meanwhile has the last build until the new one is whole. tsconfig.server.json names it. */
const FRESH = `${TARGET}.new`;
const STAMP = 'built-from';
const OTHERS = ['tsconfig.json', 'tsconfig.server.json', 'package-lock.json', 'scripts/build-server.ts'];
/** What is read beside the code. */
const FILES = [
  'docs/*.*',
  'docs/{clients,operate}/*.md',
  'docs/files/*.{md,json}',
  'transports/pages/*.css',
  'console/styles/tokens.css',
];
/** A worker thread is started by the path of its file, which tsc takes for a text. */
const WORKER = /(\bnew URL\('\.\/[\w.-]+)\.ts', import\.meta\.url\)/g;

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

const buildServer = (sources: string): void => {
  rmSync(FRESH, { recursive: true, force: true });
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.server.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  for (const file of globSync('**/*.js', { cwd: FRESH })) {
    const path = join(FRESH, file);
    const code = readFileSync(path, 'utf8');
    const rewritten = code.replace(WORKER, "$1.js', import.meta.url)");
    if (rewritten !== code) writeFileSync(path, rewritten);
  }
  for (const file of globSync(FILES, { cwd: join(ROOT, 'src') })) {
    mkdirSync(dirname(join(FRESH, file)), { recursive: true });
    copyFileSync(join(ROOT, 'src', file), join(FRESH, file));
  }
  writeFileSync(join(FRESH, STAMP), sources);
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(FRESH, TARGET);
};

const sources = hashSources();
if (!process.argv.includes('--if-stale') || !isFresh(sources)) {
  const began = Date.now();
  buildServer(sources);
  console.error(`The server is built, in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

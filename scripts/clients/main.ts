/**
 * Makes the clients' packages, into build/clients/ or the folder that is given: postroom-client for npm, and for Python a
 * wheel and a source distribution. Neither depends on anything. What is theirs alone stands in src/client; types and
 * methods are made from the OpenAPI document.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ClientDocument, readDocument } from './document.ts';
import { toPython } from './python.ts';
import { toTypeScript } from './typescript.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAME = 'postroom-client';
const DESCRIPTION = 'The typed client of Postroom, a mail appliance for software agents.';
/** Debian's, which has setuptools. */
const PYTHON = '/usr/bin/python3';
const BUILD =
  'import sys; from setuptools import build_meta as b; out = sys.argv[1]; b.build_sdist(out); b.build_wheel(out)';

/** Says what a program printed only where it fails. */
const run = (cwd: string, file: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`);
};

const packNpm = (folder: string, out: string, document: ClientDocument, version: string): void => {
  cpSync(join(ROOT, 'src/client'), join(folder, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('/python'),
  });
  writeFileSync(join(folder, 'src/operations.ts'), toTypeScript(document));
  const exported = { types: './dist/index.d.ts', default: './dist/index.js' };
  const manifest = {
    name: NAME,
    version,
    description: DESCRIPTION,
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20' },
    exports: { '.': exported, './package.json': './package.json' },
    files: ['dist'],
    sideEffects: false,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const settings = { extends: join(ROOT, 'tsconfig.client.json'), include: ['src'] };
  const compilerOptions = { rootDir: join(folder, 'src'), outDir: join(folder, 'dist') };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions }));
  run(ROOT, join(ROOT, 'node_modules/.bin/tsc'), '-p', join(folder, 'tsconfig.json'));
  copyFileSync(join(ROOT, 'src/docs/clients/client.md'), join(folder, 'README.md'));
  run(folder, 'npm', 'pack', '--pack-destination', out, '--silent');
};

const packPython = (folder: string, out: string, document: ClientDocument, version: string): void => {
  cpSync(join(ROOT, 'src/client/python'), folder, { recursive: true });
  const module = join(folder, NAME.replace('-', '_'));
  writeFileSync(join(module, 'operations.py'), toPython(document));
  writeFileSync(join(module, 'version.py'), `VERSION = "${version}"\n`);
  writeFileSync(join(module, 'py.typed'), '');
  copyFileSync(join(ROOT, 'src/docs/clients/python.md'), join(folder, 'README.md'));
  run(folder, PYTHON, '-c', BUILD, out);
};

const out = resolve(process.argv[2] ?? join(ROOT, 'build/clients'));
mkdirSync(out, { recursive: true });
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const document = readDocument();
for (const pack of [packNpm, packPython]) {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-client-'));
  try {
    copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    pack(folder, out, document, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the packages of an installed node_modules what production runs with, their licences, and Node itself. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Packages that the built server loads from node_modules; all others are in it. They find files beside themselves, or go by
 * the names of their classes (oidc-provider), which differ in a bundle where two are alike.
 */
export const APART = ['better-sqlite3', 'oidc-provider', 'piscina', 'sodium-native', 'sqlite-vec'];
/** Types, maps and sources that nothing loads at run time. */
const UNUSED = /\.(?:d\.[cm]?ts|map|tsbuildinfo)$|^node_modules\/better-sqlite3\/(?:deps|src)$/;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

interface LockEntry {
  version?: string;
  license?: string;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
/** By their folders, as `node_modules/a/node_modules/b`. */
type Packages = Map<string, LockEntry>;

const fits = ({ os, cpu, libc }: LockEntry, wanted: string): boolean =>
  (os?.includes('linux') ?? true) && (cpu?.includes(wanted) ?? true) && (libc?.includes('glibc') ?? true);

/** The folder in which Node finds a package that one in `from` asks for. */
const resolve = (packages: Packages, from: string, name: string): string[] => {
  const path = join(from, 'node_modules', name);
  if (packages.has(path)) return [path];
  return from === '' ? [] : resolve(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
};

/** Adds the folders of these packages, and of those that they ask for. */
const addAll = (loaded: Set<string>, packages: Packages, from: string, names: readonly string[]): void => {
  for (const path of names.flatMap((name) => resolve(packages, from, name))) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    const { dependencies, optionalDependencies } = packages.get(path) ?? {};
    addAll(loaded, packages, path, Object.keys({ ...dependencies, ...optionalDependencies }));
  }
};

const licenceOf = (folder: string, path: string, { version, license }: LockEntry): string => {
  const files = readdirSync(join(folder, path), { withFileTypes: true }).filter(
    (entry) => entry.isFile() && LICENCE.test(entry.name),
  );
  const texts = files.map(({ name }) => readFileSync(join(folder, path, name), 'utf8').trim());
  return [`${path.split('node_modules/').at(-1)} ${version}: ${license}`, ...texts].join('\n\n');
};

/**
 * @param from a folder with package-lock.json and what `npm ci` made of it
 * @param cpu as Node names it: x64, arm64
 */
export const copyPackages = (from: string, to: string, cpu: string): void => {
  const lock = JSON.parse(readFileSync(join(from, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const runtime = `node_modules/node-linux-${cpu}`;
  // An optional one may be absent.
  const isUsed = ([path, entry]: [string, LockEntry]): boolean =>
    path !== '' && path !== runtime && !entry.dev && fits(entry, cpu) && existsSync(join(from, path));
  const packages: Packages = new Map(Object.entries(lock.packages).filter(isUsed));
  const loaded = new Set<string>();
  addAll(loaded, packages, '', APART);
  // linux-x64.node, or a folder linux-x64.
  const isForeign = new RegExp(`/prebuilds/(?!linux-${cpu}\\b)`);
  for (const path of loaded) {
    const isOwn = (source: string): boolean => {
      const inside = source.slice(from.length + 1);
      const nested = inside.slice(path.length).startsWith('/node_modules');
      return !nested && !UNUSED.test(inside) && !isForeign.test(inside);
    };
    cpSync(join(from, path), join(to, path), { recursive: true, filter: isOwn });
  }
  const licences = [...packages].map(([path, entry]) => licenceOf(from, path, entry));
  writeFileSync(join(to, 'LICENSE.packages'), `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
  const binary = join(to, 'node_modules/.bin/node');
  mkdirSync(dirname(binary), { recursive: true });
  cpSync(join(from, runtime, 'bin/node'), binary);
  cpSync(join(from, runtime, 'LICENSE'), join(to, 'node_modules/.bin/LICENSE.node'));
};

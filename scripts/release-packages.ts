/** The packages that production runs with, and Node itself, copied out of an installed node_modules. */

import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface LockEntry {
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

/** Types, maps and sources that nothing loads at run time. */
const UNUSED = /\.(?:d\.[cm]?ts|map|tsbuildinfo)$|^node_modules\/better-sqlite3\/(?:deps|src)$/;

const fits = ({ os, cpu, libc }: LockEntry, wanted: string): boolean =>
  (os?.includes('linux') ?? true) && (cpu?.includes(wanted) ?? true) && (libc?.includes('glibc') ?? true);

/**
 * @param from a folder with package-lock.json and what `npm ci` made of it
 * @param cpu as Node names it: x64, arm64
 */
export const copyPackages = (from: string, to: string, cpu: string): void => {
  const lock = JSON.parse(readFileSync(join(from, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  // linux-x64.node, or a folder linux-x64.
  const isForeign = new RegExp(`/prebuilds/(?!linux-${cpu}\\b)`);
  const runtime = `node_modules/node-linux-${cpu}`;
  const packages = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== '' && path !== runtime && !entry.dev && fits(entry, cpu),
  );
  for (const [path, { optional }] of packages) {
    if (optional && !existsSync(join(from, path))) continue;
    const isOwn = (source: string): boolean => {
      const inside = source.slice(from.length + 1);
      const nested = inside.slice(path.length).startsWith('/node_modules');
      return !nested && !UNUSED.test(inside) && !isForeign.test(inside);
    };
    cpSync(join(from, path), join(to, path), { recursive: true, filter: isOwn });
  }
  const binary = join(to, 'node_modules/.bin/node');
  mkdirSync(dirname(binary), { recursive: true });
  cpSync(join(from, runtime, 'bin/node'), binary);
  cpSync(join(from, runtime, 'LICENSE'), join(to, 'node_modules/.bin/LICENSE.node'));
};

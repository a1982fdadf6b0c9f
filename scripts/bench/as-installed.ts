/** How the unit starts the daemon: the built server, Node's options and the variables that decide how much memory it takes. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const unit = readFileSync(new URL('../../systemd/postroom.service', import.meta.url), 'utf8');

export const NODE_OPTIONS: readonly string[] =
  unit.match(/^ExecStart=.*$/m)?.[0].match(/--max-semi-space-size=\d+/g) ?? [];

export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...unit.matchAll(/\b(MALLOC_ARENA_MAX)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
);

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Builds the server where the sources have changed. @returns its program */
export const builtServer = (): string => {
  execFileSync(process.execPath, [inRoot('scripts/build-server.ts'), '--if-stale'], { stdio: 'inherit' });
  return inRoot('build/server/main.js');
};

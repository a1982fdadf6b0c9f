/** How the unit starts the daemon: Node's options and the variables that decide how much memory it takes. */

import { readFileSync } from 'node:fs';

const unit = readFileSync(new URL('../../systemd/postroom.service', import.meta.url), 'utf8');

export const NODE_OPTIONS: readonly string[] =
  unit.match(/^ExecStart=.*$/m)?.[0].match(/--max-semi-space-size=\d+/g) ?? [];

export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...unit.matchAll(/\b(MALLOC_ARENA_MAX)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
);

/** The console's build: its folder, and the hashed names of its files. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from '../../kernel/files/project-root.ts';

export const BUILD = fileURLToPath(new URL('build/console/', PROJECT_ROOT));

let read: { path: string; at: number; files: Record<string, { file: string }> } | null = null;

/** The path of an entry's script; null without a build. Read anew where a build has come since. */
export const builtScript = (entry: string, build = BUILD): string | null => {
  const path = join(build, 'manifest.json');
  if (!existsSync(path)) return null;
  const at = statSync(path).mtimeMs;
  if (read?.at !== at || read.path !== path) read = { path, at, files: JSON.parse(readFileSync(path, 'utf8')) };
  const file = read?.files[entry]?.file;
  return file === undefined ? null : `/console/${file}`;
};

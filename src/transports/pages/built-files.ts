/** The console's build: where it is, and the names that its files have by their content. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from '../../kernel/files/project-root.ts';

export const BUILD = fileURLToPath(new URL('build/console/', PROJECT_ROOT));

let read: { at: number; files: Record<string, { file: string }> } | null = null;

/** The path of an entry's script; null without a build. Read anew where a build has come since. */
export const builtScript = (entry: string): string | null => {
  const path = join(BUILD, 'manifest.json');
  if (!existsSync(path)) return null;
  const at = statSync(path).mtimeMs;
  if (read?.at !== at) read = { at, files: JSON.parse(readFileSync(path, 'utf8')) };
  const file = read?.files[entry]?.file;
  return file === undefined ? null : `/console/${file}`;
};

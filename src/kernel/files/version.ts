import { readFileSync } from 'node:fs';
import { PROJECT_ROOT } from './project-root.ts';

/** The version of the code that runs, as `0.1.0`. */
export const readVersion = (): string => {
  const file = readFileSync(new URL('package.json', PROJECT_ROOT), 'utf8');
  return String((JSON.parse(file) as { version?: unknown }).version);
};

/** Which config file is read. The one place, beside the daemon's start, that looks at the environment. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../kernel/config.ts';
import { ConfigError, parseConfig } from '../kernel/config-text.ts';

const SYSTEM_CONFIG = '/etc/postroom/postroom.toml';
const CHECKOUT_CONFIG = 'config/postroom.toml';

export interface ConfigSource {
  /** The value of `--config`. */
  readonly flag?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    throw new ConfigError(path, [{ key: '', line: 0, expected: `cannot be read (${code})` }], { cause: error });
  }
};

/**
 * Finds, reads and checks the config: `--config`, else `$POSTROOM_CONFIG`, else /etc/postroom/postroom.toml, else
 * ./config/postroom.toml. A file that is named and is not there is an error; the search does not go on.
 * @returns the config and the absolute path it was read from
 * @throws {ConfigError} where there is no file, or none that can be used
 */
export const loadConfig = (source: ConfigSource = {}): { config: Config; path: string } => {
  const { flag, env = process.env, cwd = process.cwd() } = source;
  const named = flag ?? (env.POSTROOM_CONFIG || undefined);
  const candidates = (named === undefined ? [SYSTEM_CONFIG, CHECKOUT_CONFIG] : [named]).map((path) =>
    resolve(cwd, path),
  );
  for (const path of candidates) {
    const toml = readIfThere(path);
    if (toml !== null) return { config: parseConfig(toml, path), path };
  }
  const expected = 'no such file; `postroom init` writes one, `--config` names one';
  throw new ConfigError(candidates.join(', '), [{ key: '', line: 0, expected }]);
};

/** Extracts the valid part of a config with errors, for the doctor. */

import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { type Config, completeConfig, configSchema, impossibleCombinations } from './config.ts';
import { ConfigError, type ConfigProblem, parseConfig } from './config-text.ts';

/** Removing one key may make another one invalid. */
const MAX_ROUNDS = 8;

type Path = readonly PropertyKey[];

const isTable = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null;

const removeKey = (table: unknown, [key, ...rest]: Path): void => {
  if (key === undefined || !isTable(table)) return;
  if (rest.length === 0) delete table[key];
  else removeKey(table[key], rest);
};

/** The key of a problem: for a value within a list, the list's key. */
const toKey = (path: Path): Path => {
  const inList = path.findIndex((step) => typeof step === 'number');
  return inList === -1 ? path : path.slice(0, inList);
};

/** @returns the invalid keys; null without any */
const findWrong = (written: unknown): { wrong: Path[] } | { config: Parameters<typeof completeConfig>[0] } => {
  const result = configSchema.safeParse(written);
  if (!result.success) {
    const wrong = result.error.issues.flatMap((issue): Path[] =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [toKey(issue.path)],
    );
    return { wrong };
  }
  const impossible = impossibleCombinations(result.data);
  return impossible.length > 0 ? { wrong: impossible.map(({ key }) => key) } : { config: result.data };
};

/** @returns the config with defaults for invalid keys; null where a required key is invalid, or the text is not TOML */
export const parseValidPart = (
  toml: string,
  where: string,
): { config: Config | null; problems: readonly ConfigProblem[] } => {
  try {
    return { config: parseConfig(toml, where), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: withoutWrongKeys(toml, where), problems: error.problems };
  }
};

const withoutWrongKeys = (toml: string, where: string): Config | null => {
  let written: unknown;
  try {
    written = parse(toml);
  } catch {
    return null;
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = findWrong(written);
    if ('config' in found) return completeConfig(found.config, dirname(where));
    for (const path of found.wrong) removeKey(written, path);
  }
  return null;
};

/** Fails when config/postroom.example.toml does not parse, lacks a key, or shows a default that is none. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import type { Config } from '../src/config/config.ts';
import { keysOfTable } from '../src/config/config.ts';
import { ConfigError, parseConfig } from '../src/config/config-text.ts';

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every key of the schema, tables by their keys. */
const schemaKeys = (at: readonly string[] = []): string[][] =>
  (keysOfTable(at) ?? []).flatMap((key) => {
    const path = [...at, key];
    return keysOfTable(path) === null ? [path] : schemaKeys(path);
  });

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((table, key) => (isTable(table) ? table[key] : undefined), value);

/** Whether a comment stands above the key, or above the run of keys that it belongs to. */
const isExplained = (toml: string, path: readonly string[]): boolean => {
  const lines = toml.split('\n');
  const table = path.slice(0, -1).join('.');
  const start = table === '' ? 0 : lines.indexOf(`[${table}]`) + 1;
  let at = lines.findIndex((line, index) => index >= start && line.startsWith(`${path.at(-1)} =`)) - 1;
  while (at >= 0 && /^[a-z_]+ =/.test(lines[at] ?? '')) at--;
  return (lines[at] ?? '').startsWith('#');
};

/** What is wrong with the text of an example config; empty where nothing is. */
export const exampleProblems = (toml: string): string[] => {
  let config: Config;
  try {
    config = parseConfig(toml, '/example.toml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  const written: unknown = parse(toml);
  const required = `hostname = "${config.hostname}"\nbase_domain = "${config.base_domain}"\n`;
  const defaults = parseConfig(required, '/example.toml');
  return schemaKeys().flatMap((path) => {
    const name = path.join('.');
    if (valueAt(written, path) === undefined) return [`${name} is missing from the example`];
    if (!isDeepStrictEqual(valueAt(config, path), valueAt(defaults, path)))
      return [`${name} does not show its default`];
    return isExplained(toml, path) ? [] : [`${name} is not explained`];
  });
};

if (import.meta.main) {
  const file = resolve(import.meta.dirname, '../config/postroom.example.toml');
  const problems = exampleProblems(readFileSync(file, 'utf8'));
  for (const problem of problems) console.error(`config/postroom.example.toml: ${problem}`);
  if (problems.length === 0) console.log(`config/postroom.example.toml: ${schemaKeys().length} keys, as in the schema`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

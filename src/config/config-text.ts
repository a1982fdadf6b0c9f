/** Parses the config file and reports every problem at once, by key and line. */

import { dirname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { type Config, completeConfig, configSchema, impossibleCombinations, keysOfTable } from './config.ts';

export interface ConfigProblem {
  /** Dotted, as `http.listen`; empty where the problem concerns the whole file. */
  readonly key: string;
  /** From 1; for a missing key, the line of its table. 0 without a line. */
  readonly line: number;
  /** The expected value. */
  readonly expected: string;
}

export const formatProblem = (where: string, { line, key, expected }: ConfigProblem): string =>
  `${where}${line > 0 ? `:${line}` : ''}${key === '' ? '' : `: ${key}`}: ${expected}`;

/** An invalid config. The message has one line per problem: `file:line: key: what it should be`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(where: string, problems: readonly ConfigProblem[], options?: ErrorOptions) {
    super(problems.map((problem) => formatProblem(where, problem)).join('\n'), options);
    this.problems = problems;
  }
}

const BARE_OR_QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g;
const HEADER = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/;
const ASSIGNMENT = /^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.\s-]+?)+)\s*=/;

const dotted = (key: string): string =>
  (key.match(BARE_OR_QUOTED) ?? []).map((part) => part.replace(/^["']|["']$/g, '')).join('.');

/** Maps each table and key to its line, from 1. */
const linesByKey = (toml: string): Map<string, number> => {
  const lines = new Map<string, number>();
  let table = '';
  for (const [index, text] of toml.split('\n').entries()) {
    const header = HEADER.exec(text.replace(/\r$/, ''));
    const assignment = header ? null : ASSIGNMENT.exec(text);
    if (header) table = dotted(header[1] ?? '');
    const key = header ? table : assignment && [table, dotted(assignment[1] ?? '')].filter(Boolean).join('.');
    if (key && !lines.has(key)) lines.set(key, index + 1);
  }
  return lines;
};

/** @returns the keys that a table takes, by its path; null where the path leads to no table */
type KeysOf = (path: readonly PropertyKey[]) => string[] | null;

const describe = (issue: z.core.$ZodIssue, toml: string, keysOf: KeysOf): ConfigProblem[] => {
  const lines = linesByKey(toml);
  const at = (path: readonly PropertyKey[], expected: string): ConfigProblem => {
    const names = path.filter((step) => typeof step === 'string');
    // A value within an inline table or a list is reported on the line of its key.
    for (let length = names.length; length > 0; length--) {
      const line = lines.get(names.slice(0, length).join('.'));
      if (line !== undefined) return { key: names.join('.'), line, expected };
    }
    return { key: names.join('.'), line: 1, expected };
  };
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(issue.path) ?? [];
    const place = issue.path.length === 0 ? 'the top of the file' : `[${issue.path.join('.')}]`;
    return issue.keys.map((key) => at([...issue.path, key], `no such key; ${place} takes ${known.join(', ')}`));
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return [at(issue.path, `${missing ? 'is missing; it' : ''} should be ${issue.message}`.trim())];
};

/**
 * Parses TOML and validates it.
 * @param where the file's path
 * @throws {ConfigError} with every problem, by key and line
 */
export const parseToml = <T extends z.ZodType>(toml: string, where: string, schema: T, keysOf: KeysOf): z.output<T> => {
  let written: unknown;
  try {
    written = parse(toml);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const expected = error.message.split('\n')[0] ?? 'not valid TOML';
    throw new ConfigError(where, [{ key: '', line: error.line, expected }], { cause: error });
  }
  const result = schema.safeParse(written, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describe(issue, toml, keysOf));
  throw new ConfigError(
    where,
    problems.sort((a, b) => a.line - b.line),
  );
};

/**
 * Parses and validates a config.
 * @param where the file's path: problems are reported by it, and relative paths in the config are relative to its
 *   folder
 * @throws {ConfigError} with every problem: syntax, unknown keys, wrong types, invalid values, invalid combinations
 */
export const parseConfig = (toml: string, where: string): Config => {
  const written = parseToml(toml, where, configSchema, keysOfTable);
  const impossible = impossibleCombinations(written);
  if (impossible.length > 0) {
    const lines = linesByKey(toml);
    const findLine = (key: string[]) => lines.get(key.join('.')) ?? lines.get(key[0] ?? '') ?? 1;
    throw new ConfigError(
      where,
      impossible.map(({ key, expected }) => ({
        key: key.join('.'),
        line: findLine(key),
        expected: `should be ${expected}`,
      })),
    );
  }
  return completeConfig(written, dirname(where));
};

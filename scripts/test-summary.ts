/** Reads a TAP log: prints what failed and, as the last line, `N passed, N failed`. Exits 1 unless all is well. */

import { readFileSync } from 'node:fs';

export interface Summary {
  readonly passed: number;
  /** What failed: the names, outermost first, with the file that they are in; below them what the log says of it. */
  readonly failures: string[];
}

const RESULT = /^( *)(not )?ok \d+(?: - (.*?))?(?: # (.*))?$/;
const SUBTEST = /^( *)# Subtest: (.*)$/;
/** Lines of a failure's own that are shown: the values, or the error with its cause. */
const MAX_SAID = 40;

/** The result's block of YAML (TAP 14), without its frame. */
const saidBelow = (lines: readonly string[], result: number): string[] => {
  if (lines[result + 1]?.trim() !== '---') return [];
  const end = lines.findIndex((line, index) => index > result && line.trim() === '...');
  return lines.slice(result + 2, Math.min(end, result + 2 + MAX_SAID));
};

/**
 * Counts assertions: results that are no subtest's own. A test file that failed without a failed assertion, as by a
 * crash or a time-out, counts as one failure. Skipped and todo results count as neither.
 */
export const summarize = (tap: string): Summary => {
  const open: { indent: number; name: string; failed: number }[] = [];
  const failures: string[] = [];
  let passed = 0;
  let bailedOut = 0;
  const lines = tap.split('\n');
  for (const [index, line] of lines.entries()) {
    const subtest = SUBTEST.exec(line);
    const result = RESULT.exec(line);
    if (line.startsWith('Bail out!')) bailedOut++;
    if (subtest) open.push({ indent: subtest[1]?.length ?? 0, name: subtest[2] ?? '', failed: 0 });
    if (!result || /^(SKIP|TODO)/i.test(result[4] ?? '')) continue;
    const closes = open.at(-1)?.indent === result[1]?.length && open.at(-1)?.name === result[3];
    const own = closes ? open.pop() : undefined;
    const isFailure = result[2] !== undefined && (own === undefined || own.failed === 0);
    const parent = open.at(-1);
    if (isFailure) {
      const names = [...open.map(({ name }) => name), result[3] ?? ''].join(' > ');
      failures.push([names, ...saidBelow(lines, index)].join('\n'));
    } else if (result[2] === undefined && own === undefined) passed++;
    if (parent) parent.failed += (own?.failed ?? 0) + (isFailure ? 1 : 0);
  }
  if (bailedOut > 0) failures.push('the run bailed out');
  return { passed, failures };
};

if (import.meta.main) {
  const [, , log = '', checksFailed = '0', exitCode = '0'] = process.argv;
  const { passed, failures } = summarize(readFileSync(log, 'utf8'));
  // A run that ends half-way has no failed assertion to show for it.
  if (exitCode !== '0' && failures.length === 0) failures.push(`the run ended with exit code ${exitCode}`);
  const failed = failures.length;
  for (const failure of failures) console.log(`not ok: ${failure}`);
  if (failed > 0) console.log(`The whole log is in ${log}`);
  if (passed === 0) console.log('No test ran');
  const all = failed + Number(checksFailed);
  console.log(`${passed} passed, ${all} failed`);
  process.exitCode = all > 0 || passed === 0 ? 1 : 0;
}

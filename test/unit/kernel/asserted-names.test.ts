/**
 * Every event of the catalogue stands in an assertion of a flow, and every error code in an assertion of some test. Names in
 * set-up, such as the events that a webhook subscribes to, do not count.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ALL_ERROR_CODES } from '../../../src/kernel/errors.ts';
import { EVENTS, UNSENT_EVENTS } from '../../../src/kernel/events.ts';

/** The interface lists it; the one operation that takes a handle may leave it out, so none answers with it. */
const UNANSWERED = 'handle_required';

const TESTS = join(import.meta.dirname, '../..');
const ASSERTION = /\bt\.(?:equal|same|match|has|strictSame|rejects|throws)\(/g;
/** A row of a table, or a call of a check, that ends in a name. */
const LAST_OF_ROW = /'([a-z_]+)'(?:,[ \n]*)?[\])]/g;
/** An assertion on a variable of this name holds for each row. */
const CODE_ASSERTED = /\b(?:error: code|ApiError\(code|code\)|, code\])/;

/** The text from a call's name to its closing bracket; strings and regular expressions may hold brackets. */
const callAt = (source: string, start: number): string => {
  let depth = 0;
  let quote = '';
  for (let at = source.indexOf('(', start); at < source.length; at++) {
    const char = source[at] ?? '';
    if (char === '\\') at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if ('\'"`'.includes(char)) quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return source.slice(start, at + 1);
  }
  return source.slice(start);
};

const assertionsIn = (source: string): string[] =>
  [...source.matchAll(ASSERTION)].map(({ index }) => callAt(source, index));

const sourcesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: TESTS }).map((file) => readFileSync(join(TESTS, file), 'utf8'));

/** Names as quoted words of assertions, and as the last of a row where the rows' codes are asserted. */
const namesIn = (sources: readonly string[]): Set<string> => {
  const names = new Set<string>();
  for (const source of sources) {
    const assertions = assertionsIn(source).map((call) => call.replace(/\bevents: \[[^\]]*\]/g, ''));
    for (const call of assertions)
      for (const [name] of call.matchAll(/(?<=['"` ])[a-z_]+(?:\.[a-z_]+)?(?=['"`])/g)) names.add(name);
    if (!assertions.some((call) => CODE_ASSERTED.test(call))) continue;
    for (const [, name = ''] of source.matchAll(LAST_OF_ROW)) names.add(name);
  }
  return names;
};

t.test('every event is asserted in a flow', (t) => {
  const names = namesIn(sourcesOf('{flows,faults}/**/*.test.ts'));
  t.same(
    Object.keys({ ...EVENTS, ...UNSENT_EVENTS }).filter((name) => !names.has(name)),
    [],
  );
  t.end();
});

t.test('every error code is asserted', (t) => {
  const names = namesIn(sourcesOf('{flows,faults,unit,console}/**/*.test.ts'));
  t.same(
    ALL_ERROR_CODES.filter((code) => !names.has(code) && code !== UNANSWERED),
    [],
  );
  t.end();
});

t.test('a name counts only where something is asserted of it', (t) => {
  const names = (source: string) => [...namesIn([source])];
  t.same(names("t.match(x, { error: 'not_found' });"), ['not_found']);
  t.same(names("t.match(heard, ['/all message.sent']);"), ['message.sent']);
  t.same(names("await add('/all', ['message.sent']);"), []);
  t.same(names("t.match(list, { events: ['message.sent'] });"), []);
  t.same(names("const rows = [[1, 'not_found']];"), []);
  t.same(names("const rows = [[1, 'not_found']];\nfor (const [x, code] of rows) t.match(x, { error: code });"), [
    'not_found',
  ]);
  t.end();
});

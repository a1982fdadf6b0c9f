/** A fault's text is what the operator reads, and names the remedy. */

import t from 'tap';
import { toFailure } from '../../../src/cli/failure.ts';
import { UnwritableError } from '../../../src/store/store-errors.ts';

t.test('a full disk is told in one line', (t) => {
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const { text } = toFailure(new UnwritableError(cause.message, { cause }));
  t.equal(text, 'database or disk is full. Free some room.');
  t.end();
});

/** A fault's text is what the operator reads, and names the remedy. */

import t from 'tap';
import { toFailure } from '../../../src/cli/failure.ts';
import { ConfigError } from '../../../src/config/config-text.ts';
import { UnwritableError } from '../../../src/store/store-errors.ts';

t.test('a full disk is told in one line', (t) => {
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const { text } = toFailure(new UnwritableError(cause.message, { cause }));
  t.equal(text, 'database or disk is full. Free some room.');
  t.end();
});

t.test('a fault that SQLite tells in particular has the advice of its kind', (t) => {
  const fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_SHMSIZE' });
  t.match(toFailure(fault).text, /^disk I\/O error\. The disk fails or is full/);
  t.end();
});

t.test('a data file that is of another user than the directory is told with the way out', (t) => {
  for (const code of ['EACCES', 'EPERM', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CANTOPEN']) {
    t.match(
      toFailure(Object.assign(new Error('permission denied'), { code })).text,
      /as root, or as the user .* after a copy by root: `chown` it\./,
    );
  }
  t.end();
});

t.test('a config that the user may not read is told with the way out', (t) => {
  const cause = Object.assign(new Error('permission denied'), { code: 'EACCES' });
  const wrong = [{ key: '', line: 0, expected: 'cannot be read (EACCES)' }];
  t.match(toFailure(new ConfigError('/etc/postroom/postroom.toml', wrong, { cause })), {
    exitCode: 78,
    text: /cannot be read \(EACCES\)\. Run the command as root\./,
  });
  t.end();
});

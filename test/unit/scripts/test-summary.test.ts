import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import t from 'tap';
import { summarize } from '../../../scripts/test-summary.ts';

const passing = `TAP version 14
# Subtest: test/a.test.ts
    # Subtest: adds
        ok 1 - one and one
        ok 2 - two and two
        1..2
    ok 1 - adds # time=3ms
    ok 2 - at the top
    not ok 3 - some day # TODO
    ok 4 - elsewhere # SKIP
    1..4
ok 1 - test/a.test.ts # time=20ms
1..1
`;

const failing = `${passing}# Subtest: test/b.test.ts
    # Subtest: subtracts
        ok 1 - fine
        not ok 2 - three less one
          ---
          source: "not ok 9 - in a diagnostic"
          ...
        1..2
    not ok 1 - subtracts # time=3ms
    1..1
not ok 2 - test/b.test.ts # time=20ms
# Subtest: test/crash.test.ts
    ok 1 - before it crashed
    1..1
not ok 3 - test/crash.test.ts # time=20ms
1..3
`;

t.same(summarize(passing), { passed: 3, failures: [] }, 'assertions are counted, files and subtests are not');
t.same(summarize(failing), {
  passed: 5,
  failures: [
    'test/b.test.ts > subtracts > three less one\n          source: "not ok 9 - in a diagnostic"',
    'test/crash.test.ts',
  ],
});
t.same(summarize(''), { passed: 0, failures: [] });
t.match(summarize('Bail out! no disk\n').failures, ['the run bailed out']);

t.test('the last line and the exit code', async (t) => {
  const dir = t.testdir({ passing, failing, empty: '' });
  const run = (log: string, ...rest: string[]) => {
    const script = resolve(import.meta.dirname, '../../../scripts/test-summary.ts');
    const { stdout, status } = spawnSync(process.execPath, [script, join(dir, log), ...rest], { encoding: 'utf8' });
    return { last: stdout.trimEnd().split('\n').at(-1), status };
  };
  t.same(run('passing', '0', '0'), { last: '3 passed, 0 failed', status: 0 });
  t.same(run('failing', '1', '1'), { last: '5 passed, 3 failed', status: 1 }, 'a failed check counts');
  t.same(run('passing', '0', '7'), { last: '3 passed, 1 failed', status: 1 }, 'tap broke off');
  t.same(run('empty', '0', '0'), { last: '0 passed, 0 failed', status: 1 }, 'no test ran');
});

import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { summarize } from '../../../scripts/test-summary.ts';

const RUNNER = resolve(import.meta.dirname, '../../../scripts/run-tests.ts');

/** Runs files of these contents. @returns the exit code and the TAP document, with the folder's name left out */
const run = async (folder: string, names: readonly string[], timeOutMs = 60_000, endMs = 60_000) => {
  const child = spawn(process.execPath, [RUNNER, ...names.map((name) => join(folder, name))], {
    env: { ...process.env, TEST_TIME_OUT_MS: String(timeOutMs), TEST_END_MS: String(endMs) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const tap = (await text(child.stdout)).replaceAll(`${folder}/`, '');
  return { code: await ended, tap };
};

t.test('each file is a subtest; one that fails, crashes or hangs fails the run and no other file', async (t) => {
  const folder = t.testdir({
    'good.mjs': "import t from 'tap'; t.ok(true, 'one');",
    'bad.mjs': "import t from 'tap'; t.ok(false, 'two');",
    'crash.mjs':
      "import t from 'tap'; t.ok(true, 'three'); setTimeout(() => { throw new Error('no more'); }); await new Promise(() => {});",
    'hang.mjs': "import t from 'tap'; t.ok(true, 'four'); await new Promise((done) => setTimeout(done, 60_000));",
    'open.mjs': "import t from 'tap'; t.ok(true, 'five'); setInterval(() => undefined, 1000);",
  });
  const fine = await run(folder, ['good.mjs']);
  t.equal(fine.code, 0);
  t.same(summarize(fine.tap), { passed: 1, failures: [] });
  const failed = await run(folder, ['bad.mjs', 'crash.mjs', 'good.mjs']);
  t.equal(failed.code, 1);
  t.match(failed.tap, /no more/);
  t.match(failed.tap, /\n1\.\.3\n$/);
  const { passed, failures } = summarize(failed.tap);
  t.equal(passed, 2);
  t.match(failures.sort(), [/^bad\.mjs > two\n.*bad\.mjs/s, /^crash\.mjs > test unfinished/]);
  const left = await run(folder, ['open.mjs'], undefined, 5_000);
  t.equal(left.code, 1);
  t.match(left.tap, /one of these has left something open: .*open\.mjs/);
  const late = await run(folder, ['hang.mjs'], 5_000);
  t.equal(late.code, 1);
  t.match(late.tap, /not over after 5000 ms/);
  t.match(summarize(late.tap).failures, [/^hang\.mjs > timeout!/]);
});

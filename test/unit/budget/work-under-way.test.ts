/** Long work of any process beside the data, listed while it runs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createWorkUnderWay } from '../../../src/budget/work-under-way.ts';

const MODULE = new URL('../../../src/budget/work-under-way.ts', import.meta.url).href;
const ABOUT = { kind: 'import', workspaceId: null, name: 'contacts', total: 10 } as const;

t.test('work is listed with how far it is, until it ends or fails', async (t) => {
  const folder = t.testdir();
  let at = 1_000;
  const underWay = createWorkUnderWay({ now: () => at }, folder);
  t.same(underWay.list(), [], 'no folder yet');
  const first = await underWay.run(ABOUT, async (advance) => {
    t.match(underWay.list(), [{ ...ABOUT, since: 1_000, done: 0 }]);
    advance(3);
    at += 1_000;
    advance(1);
    t.match(underWay.list(), [{ done: 4 }]);
    await underWay.run({ ...ABOUT, name: 'mail of ann' }, async () => {
      t.match(underWay.list(), [{ name: 'contacts' }, { name: 'mail of ann', since: 2_000 }], 'the first begun first');
    });
    return 'done';
  });
  t.equal(first, 'done');
  t.same(underWay.list(), []);
  await t.rejects(
    underWay.run(ABOUT, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  t.same(underWay.list(), []);
});

t.test('that of another process is listed until the process is gone, also by a kill', async (t) => {
  const folder = t.testdir();
  const underWay = createWorkUnderWay({ now: () => 0 }, folder);
  const code = `import { createWorkUnderWay } from ${JSON.stringify(MODULE)};
    createWorkUnderWay({ now: () => 5 }, ${JSON.stringify(folder)}).run(${JSON.stringify(ABOUT)}, () => {
      console.log('begun');
      return new Promise((resolve) => setTimeout(resolve, 600_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  t.match(underWay.list(), [{ ...ABOUT, since: 5 }]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.same(underWay.list(), []);
  t.same(readdirSync(join(folder, 'work')), [], 'and its file is gone');
});

t.test('a file that is none of its own, half written or of another form is passed over', async (t) => {
  const folder = t.testdir();
  const underWay = createWorkUnderWay({ now: () => 0 }, folder);
  await underWay.run(ABOUT, async () => {
    const [own = ''] = readdirSync(join(folder, 'work'));
    const put = (name: string, text: string): void => writeFileSync(join(folder, 'work', name), text);
    put('other', 'x');
    put(own.replace(/\d+\.json$/, '1000.json'), '{"kind":');
    put(own.replace(/\d+\.json$/, '1001.json'), JSON.stringify({ ...ABOUT, since: 'x', done: 0 }));
    t.match(underWay.list(), [ABOUT]);
    const earlier = own.replace(/-\d+-/, '-1-');
    put(earlier, JSON.stringify({ ...ABOUT, since: 0, done: 0 }));
    t.match(underWay.list(), [ABOUT], 'an earlier process of the same id');
    t.notOk(readdirSync(join(folder, 'work')).includes(earlier));
  });
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../../..');
const LOADED = `
  import { createRequire } from 'node:module';
  const { openStore } = await import('./src/store/open-store.ts');
  const { dataFilesOf } = await import('./src/store/data-files.ts');
  const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/node_modules/pg/')).length > 0;
  const at = { engine: 'sqlite', file: process.argv[1] };
  await (await openStore(at, { now: 0 })).close();
  await dataFilesOf(at).size();
  const before = loaded();
  await dataFilesOf({ engine: 'postgres', url: 'postgres:///none?host=/nowhere' }).size().catch(() => undefined);
  console.log(JSON.stringify([before, loaded()]));`;

t.test("PostgreSQL's driver is loaded where a URL names one, and not else", async (t) => {
  const file = join(t.testdir({}), 'x.db');
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', LOADED, file], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  t.same(JSON.parse(said), [false, true]);
});

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import { checkLayers, checkSizes } from '../../../scripts/check-layers.ts';

type Tree = { [name: string]: string | Tree };

const breachesOf = (t: { testdir(tree: Tree): string }, tree: Tree): string[] =>
  checkLayers(t.testdir(tree), 1).breaches;

t.test('lower layers, the own folder and packages may be imported', async (t) => {
  const breaches = breachesOf(t, {
    kernel: {
      'ids.ts': "import { randomUUID } from 'node:crypto';\nimport type { Clock } from './clock.ts';\n",
      'clock.ts': '',
    },
    store: {
      'store.ts': "import { Kysely } from 'kysely';\nimport '../kernel/ids.ts';\nimport './sqlite/lock.ts';\n",
      sqlite: { 'lock.ts': '' },
    },
    outbound: { 'queue.ts': "import {\n  a,\n  type B,\n} from '../store/store.ts';\n" },
    resources: {
      messages: {
        'contract.ts': "import { z } from 'zod';\nimport { x } from '../threads/contract.ts';\n",
        'service.ts': '',
      },
      threads: {
        'contract.ts': "import { id } from '../../kernel/ids.ts';\n",
        'service.ts': "import '../messages/contract.ts';",
        'view.ts': "import type { A } from '../../store/store.ts';\n",
      },
      search: { 'service.ts': "import '../threads/view.ts';\n" },
      'index.ts': "import './messages/service.ts';\n",
    },
    transports: {
      rest: { 'routes.ts': "import Fastify from 'fastify';\nimport '../../resources/messages/service.ts';\n" },
    },
    client: { 'client.ts': "import type { A } from '../resources/messages/contract.ts';\n" },
    console: { 'app.tsx': "import type { A } from '../resources/messages/contract.ts';\n" },
    app: { 'storage.ts': "import '../store/store.ts';\n" },
    'app.ts':
      "import './app/storage.ts';\nimport './transports/rest/routes.ts';\nimport pkg from '../package.json' with { type: 'json' };\n",
    cli: { 'serve.ts': "import '../app.ts';\n", 'config-file.ts': 'process.env.A;\n' },
    'main.ts': "import './cli/config-file.ts';\nprocess.env;\n",
  });
  t.same(breaches, []);
});

t.test('each way to import is seen', async (t) => {
  const ways = {
    'named.ts': "import { a } from '../store/a.ts';\n",
    'type.ts': "import type { A } from '../store/a.ts';\n",
    'all.ts': "import * as all from '../store/a.ts';\n",
    'both.ts': "import a, { b } from '../store/a.ts';\n",
    'lines.ts': "import {\n  a,\n  b,\n} from '../store/a.ts';\n",
    'effect.ts': "import '../store/a.ts';\n",
    'dynamic.ts': "const a = await import('../store/a.ts');\n",
    'typed.ts': "export let a: import('../store/a.ts').A;\n",
    'again.ts': "export { a } from '../store/a.ts';\n",
    'again-all.ts': "export * from '../store/a.ts';\n",
    'again-type.ts': "export type { A } from '../store/a.ts';\n",
  };
  const breaches = breachesOf(t, { store: { 'a.ts': '' }, mail: ways });
  t.same(
    breaches.map((breach) => breach.split(' ', 1)[0]).sort(),
    Object.keys(ways)
      .map((file) => `mail/${file}`)
      .sort(),
  );
  t.match(breaches[0], / imports store\/a\.ts: store \(layer 2\) is not below mail \(layer 2\)$/);
});

t.test('comments and text are no imports', async (t) => {
  const source = `/**\n * import { a } from '../store/a.ts';\n */\n// import '../store/a.ts'; process.env\nexport const a = 'import x';\n`;
  t.same(breachesOf(t, { mail: { 'a.ts': source } }), []);
});

t.test('higher layers, siblings and strange folders', async (t) => {
  const breaches = breachesOf(t, {
    kernel: { 'a.ts': "import '../mail/a.ts';\n" },
    mail: { 'a.ts': '', text: { 'a.ts': '' } },
    inbound: { 'a.ts': "import '../outbound/a.ts';\n" },
    outbound: { 'a.ts': "import '../transports/a.ts';\n" },
    transports: { 'a.ts': "import '../../scripts/a.ts';\n" },
    utils: { 'a.ts': '' },
    'stray.ts': '',
    resources: { a: { 'service.ts': "import '../b/service.ts';\n" }, b: { 'service.ts': '' } },
    client: { 'a.ts': "import '../resources/b/service.ts';\n" },
    console: { 'a.ts': "import { z } from '../resources/b/contract.ts';\n" },
    'app.ts': "import './cli/a.ts';\n",
    cli: { 'a.ts': "import '../store/sqlite/a.ts';\n" },
    store: { sqlite: { 'a.ts': '' } },
    workers: { 'a.ts': "import { a } from '../mail/text/a.ts';\n" },
    webhooks: { 'a.ts': "import { a } from '../mail/text/a.ts';\n" },
    notices: { 'a.ts': "import type { A } from '../store/sqlite/a.ts';\n" },
  });
  for (const start of [
    'kernel/a.ts imports mail/a.ts',
    'inbound/a.ts imports outbound/a.ts',
    'outbound/a.ts imports transports/a.ts',
    'transports/a.ts imports ../scripts/a.ts: leaves src/',
    'utils/a.ts: utils has no layer',
    'stray.ts: stray.ts has no layer',
    'resources/a/service.ts imports resources/b/service.ts',
    'client/a.ts imports resources/b/service.ts',
    'console/a.ts imports resources/b/contract.ts',
    'app.ts imports cli/a.ts',
    'cli/a.ts imports store/sqlite/a.ts: only store/ may import store/sqlite/',
    'webhooks/a.ts imports mail/text/a.ts: only mail/ and workers/ may import mail/text/',
    'notices/a.ts imports store/sqlite/a.ts: only store/ may import store/sqlite/',
  ]) {
    t.equal(breaches.filter((breach) => breach.startsWith(start)).length, 1, start);
  }
  t.equal(breaches.length, 13);
});

t.test('packages and the environment stay in their places', async (t) => {
  const breaches = breachesOf(t, {
    access: { 'a.ts': "import { sql } from 'kysely';\nimport Database from 'better-sqlite3';\n" },
    webhooks: { 'a.ts': "import type { FastifyInstance } from 'fastify';\nimport x from '@fastify/static';\n" },
    transports: { rest: { 'a.ts': "import { Server } from '@modelcontextprotocol/sdk/server/index.js';\n" } },
    net: { 'a.ts': 'const { PATH } = process.env;\n', 'b.ts': "import { env } from 'node:process';\n" },
    resources: { a: { 'contract.ts': "import net from 'node:net';\nimport '../../store/a.ts';\n" } },
    store: { 'a.ts': "const key = name.normalize('NFC');\n" },
  });
  t.equal(breaches.length, 10, breaches.join('\n'));
});

t.test('a cycle, types included', async (t) => {
  const breaches = breachesOf(t, {
    kernel: {
      'a.ts': "import './b.ts';\n",
      'b.ts': "import type { C } from './c.ts';\n",
      'c.ts': "export * from './a.ts';\n",
    },
  });
  t.same(breaches, ['cycle: kernel/a.ts -> kernel/b.ts -> kernel/c.ts -> kernel/a.ts']);
});

t.test('too few files are a breach, not a success', async (t) => {
  t.match(checkLayers(t.testdir({ kernel: { 'a.ts': '' } })).breaches, [/only 1 files seen/]);
});

t.test('a folder of more than 20 files, and a file of more than 300 lines', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.ts`, '']));
  const long = 'x\n'.repeat(301);
  const root = t.testdir({
    src: { kernel: many, mail: { 'a.ts': long, 'b.ts': 'x\n'.repeat(300), 'c.d.ts': long } },
    test: { 'a.test.ts': long },
  });
  t.same(checkSizes(root), [
    'src/kernel: 21 files side by side, more than 20',
    'src/mail/a.ts: 301 lines, more than 300',
    'test/a.test.ts: 301 lines, more than 300',
  ]);
});

t.test('as a program it prints a line per breach and exits 1', async (t) => {
  const script = resolve(import.meta.dirname, '../../../scripts/check-layers.ts');
  const run = spawnSync(
    process.execPath,
    [script, t.testdir({ src: { kernel: { 'a.ts': "import '../mail/a.ts';\n" } } })],
    {
      encoding: 'utf8',
    },
  );
  t.equal(run.status, 1);
  t.match(run.stderr, /kernel\/a\.ts imports mail\/a\.ts/);
});

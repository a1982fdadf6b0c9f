import t from 'tap';
import { unusedCodes, unusedExports } from '../../../scripts/check-exports.ts';

const faultsOf = (files: Record<string, string>): string[] =>
  unusedExports(Object.entries(files).map(([path, text]) => ({ path, text })));

const MODULE = 'export const used = 1;\nexport const unused = 2;\nexport function* walk() {}\n';

t.test('an export that nothing imports is found, whatever form it has', async (t) => {
  t.same(faultsOf({ 'src/a.ts': MODULE, 'src/b.ts': "import { used, walk as step } from './a.ts';\n" }), [
    'src/a.ts: nothing imports unused',
  ]);
  t.same(faultsOf({ 'src/a.ts': MODULE, 'src/b.ts': "import * as a from './a.ts';\n" }), []);
  t.same(faultsOf({ 'src/a.ts': MODULE, 'src/b.ts': "const { used, walk, unused } = await import('./a.ts');\n" }), []);
  t.same(faultsOf({ 'src/a.ts': 'export class A {}\nexport type B = 1;\nexport interface C {}\n' }), [
    'src/a.ts: nothing imports A',
    'src/a.ts: nothing imports B',
    'src/a.ts: nothing imports C',
  ]);
});

t.test('what is passed on has to be taken by somebody else', async (t) => {
  const files = { 'src/a.ts': 'export const a = 1;\n', 'src/b.ts': "export { a } from './a.ts';\n" };
  t.same(faultsOf(files), ['src/b.ts: nothing imports a']);
  t.same(faultsOf({ ...files, 'src/c.ts': "import { a } from './b.ts';\n" }), []);
});

t.test('a type of an exported signature is part of it', async (t) => {
  t.same(
    faultsOf({
      'src/a.ts': 'export interface N {}\nexport const f = (n: N) => n;\n',
      'src/b.ts': "import { f } from './a.ts';",
    }),
    [],
  );
});

t.test('a test counts for its own module, and for constants', async (t) => {
  const module = { 'src/mail/a.ts': 'export const parse = 1;\nexport const MOST = 2;\n' };
  const imports = (up: string) => `import { MOST, parse } from '${up}src/mail/a.ts';\n`;
  t.same(faultsOf({ ...module, 'test/unit/mail/a.test.ts': imports('../../../') }), []);
  t.same(faultsOf({ ...module, 'test/flows/api/a.test.ts': imports('../../../') }), [
    'src/mail/a.ts: nothing imports parse',
  ]);
});

t.test('a code that only lists name is thrown by nothing', async (t) => {
  const table = { path: 'src/kernel/errors.ts', text: "const table = {\n  one: [400, 'x'],\n  two: [400, 'y'],\n};\n" };
  const code = { path: 'src/a.ts', text: "throw new ApiError('one');\n" };
  const contract = {
    path: 'src/contract.ts',
    text: "  errors: ['one', 'two'],\nconst MY_ERRORS = ['two'] as const;\n",
  };
  t.same(unusedCodes([table, code, contract]), ['src/kernel/errors.ts: nothing throws two']);
});

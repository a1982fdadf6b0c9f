import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { assertLibraryMembers, createLibraryObjects } from '../../../../src/transports/smtp/smtp-library.ts';

const SRC = join(import.meta.dirname, '../../../../src');

/** Members with an underscore that are read, called or overridden, without comments. */
const privateMembers = (file: string): string[] => {
  const source = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return [...source.matchAll(/\.(_[a-z]\w*)|\boverride (_\w+)/gi)].map(
    ([, used, overridden]) => used ?? overridden ?? '',
  );
};

t.test('the installed version has every private member', (t) => {
  t.doesNotThrow(() => assertLibraryMembers());
  t.end();
});

t.test('the error names the member that a version lacks', (t) => {
  for (const [name, member] of [
    ['SMTPServer', '_acceptSocket'],
    ['SMTPServer', '_pendingSockets'],
    ['SMTPConnection', '_onCommand'],
    ['SMTPConnection', '_closing'],
    ['SMTPStream', '_endDataMode'],
    ['SMTPStream', '_dataMode'],
  ] as const) {
    const objects = createLibraryObjects();
    const without = new Proxy(objects[name], {
      has: (target, key) => key !== member && key in target,
      get: (target, key) => (key === member ? undefined : Reflect.get(target, key)),
    });
    t.throws(
      () => assertLibraryMembers({ ...objects, [name]: without }),
      new Error(`This version of smtp-server has no ${name}.${member}, which Postroom relies on.`),
    );
  }
  t.end();
});

t.test('private members are touched in one file, and each of them is checked', (t) => {
  const files = globSync('transports/{smtp,submission}/*.ts', { cwd: SRC }).sort();
  t.same(
    files.filter((file) => privateMembers(file).length > 0),
    ['transports/smtp/smtp-library.ts'],
  );
  const checked = new Set<PropertyKey>();
  const objects = Object.fromEntries(
    Object.entries(createLibraryObjects()).map(([name, object]) => [
      name,
      new Proxy(object, {
        has: (target, key) => checked.add(key) && key in target,
        get: (target, key) => checked.add(key) && Reflect.get(target, key),
      }),
    ]),
  ) as ReturnType<typeof createLibraryObjects>;
  assertLibraryMembers(objects);
  t.same([...new Set(privateMembers('transports/smtp/smtp-library.ts'))].sort(), [...checked].sort());
  t.end();
});

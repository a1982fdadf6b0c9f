/** The console's styles: each rule is for a class that something of the console has. */

import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const ROOT = new URL('../../src/console/', import.meta.url);
const read = (endings: RegExp): string =>
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => endings.test(file))
    .map((file) => readFileSync(new URL(file, ROOT), 'utf8'))
    .join('\n');

const LITERAL = /'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g;

t.test('no rule is for a class that nothing has', async (t) => {
  const styles = read(/\.css$/).replace(/\/\*.*?\*\/|"[^"\n]*"/gs, '');
  const classes = new Set([...styles.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name));
  const words = new Set(
    [...read(/\.tsx?$/).matchAll(LITERAL)].flatMap(([literal]) => literal.match(/[a-z][\w-]*/g) ?? []),
  );
  t.ok(classes.size > 150);
  t.same(
    [...classes].filter((name) => !words.has(name)),
    [],
  );
});

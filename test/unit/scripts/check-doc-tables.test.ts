import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'smol-toml';
import t from 'tap';
import { DOC_TABLES, withTable } from '../../../scripts/check-doc-tables.ts';
import { commands } from '../../../src/cli/commands/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

for (const [name, table] of Object.entries(DOC_TABLES)) {
  t.test(name, async (t) => {
    const markdown = readFileSync(resolve(ROOT, table.file), 'utf8');
    t.equal(withTable(markdown, table), markdown, 'the document has what its list has');
    const [row = ''] = table.rows;
    t.equal(withTable(markdown.replace(`${row}\n`, ''), table), markdown, 'a missing row is put in');
    t.equal(withTable(markdown.replace(row, `${row} |`), table), markdown, 'and another one mended');
    t.equal(withTable('# Nothing\n', table), null);
  });
}

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2 };

/** The numbers of a config, by key; a key that stands in several tables has several. */
const numbersOf = (table: object): [key: string, value: number][] =>
  Object.entries(table).flatMap(([key, value]: [string, unknown]): [string, number][] =>
    typeof value === 'number' ? [[key, value]] : typeof value === 'object' && value ? numbersOf(value) : [],
  );

t.test('the numbers that pages give for keys of the config are its defaults', async (t) => {
  const defaults = numbersOf(parse(readFileSync(resolve(ROOT, 'config/postroom.example.toml'), 'utf8')));
  const keys = new Set(defaults.map(([key]) => key));
  const given = globSync('src/docs/**/*.md', { cwd: ROOT }).flatMap((file) =>
    [
      ...readFileSync(resolve(ROOT, file), 'utf8').matchAll(
        /`(?:\[[\w.]+\] )?(\w+)`,? \(?(\d[\d,]*\d|\d)(?: ([KM]iB))?/g,
      ),
    ]
      .filter(([, key = '']) => keys.has(key))
      .map(([, key = '', number = '', unit = '']) => ({
        file,
        key,
        value: Number(number.replaceAll(',', '')) * (UNITS[unit] ?? 1),
      })),
  );
  t.ok(given.length > 25, `${given.length} numbers`);
  t.same(
    given.filter(({ key, value }) => !defaults.some(([name, number]) => name === key && number === value)),
    [],
  );
});

t.test('the commands that texts name are there, with their options', (t) => {
  const named = globSync(['README.md', 'install.sh', 'src/docs/**/*.md', 'scripts/install/*'], { cwd: ROOT }).flatMap(
    (file) =>
      [
        ...readFileSync(resolve(ROOT, file), 'utf8')
          .replaceAll(/\\\n\s*/g, '')
          .matchAll(/(?<![\w/.:-])(?:\.\/scripts\/)?postroom ([a-z]+(?:[ -][a-z-]+)*)([^`\n#]*)/g),
      ].map(([said = '', words = '', rest = '']) => ({ file, said, words: `${words} `, rest })),
  );
  t.ok(named.length > 80, `${named.length} commands`);
  const everywhere = ['config', 'json', 'help'];
  t.same(
    named.filter(({ words, rest }) => {
      const [command] = commands.filter(({ name }) => words.startsWith(`${name} `));
      const options = [...rest.matchAll(/ --([a-z-]+)/g)].map(([, option = '']) => option);
      return !command || options.some((option) => !(option in command.options) && !everywhere.includes(option));
    }),
    [],
  );
  t.end();
});

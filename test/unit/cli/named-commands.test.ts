/** Every `postroom …` command that a text names exists, with its options. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { commands } from '../../../src/cli/commands/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TEXTS = ['README.md', 'CHANGELOG.md', 'install.sh', 'config/*.toml', 'systemd/*', 'src/**/*.md', 'src/**/*.ts'];

/** A command line in backticks, after a colon, or at the start of an indented or plain line; in prose it is none. */
const NAMED =
  /(?:\\?`|: |^ *|^ExecStart=)(?:[\w=./]+\/|\S+=\S+ \.\/scripts\/)?postroom ([a-z](?:[a-z-]|"[^"]*"|\$\{[^}]*\}|[ |./:\w-])+)/gm;

const wordsOf = (line: string): string[] =>
  (line.replace(/ {2,}.*| #.*/, '').match(/"[^"]*"|\$\{[^}]*\}|[^ ]+/g) ?? []).map((word) =>
    word.replace(/[.,;:]$/, ''),
  );

/** `pause|resume` names two commands. */
const alternatives = (words: readonly string[]): string[][] =>
  words.reduce<string[][]>(
    (lines, word) => lines.flatMap((line) => word.split('|').map((one) => [...line, one])),
    [[]],
  );

/** Why a command line does not resolve; null where it does. Operands that a text leaves out are no fault. */
const faultOf = (words: readonly string[]): string | null => {
  const isNoun = words.length === 1 && commands.some(({ name }) => name.startsWith(`${words[0]} `));
  if (isNoun) return null;
  try {
    parseCommandLine(commands, words);
    return null;
  } catch (error) {
    const { message } = error as Error;
    return / missing\.$/.test(message) ? null : `postroom ${words.join(' ')}: ${message.split('\n', 1)[0]}`;
  }
};

const namedIn = (text: string): string[][] =>
  [...text.matchAll(NAMED)].flatMap((match) => alternatives(wordsOf(match[1] ?? '')));

t.test('every command that a text names exists', (t) => {
  const found = TEXTS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).flatMap((file) =>
    namedIn(readFileSync(join(ROOT, file), 'utf8')).map((words) => ({ file, words })),
  );
  const lines = found.map(({ words }) => words.join(' '));
  for (const known of ['workspaces resume', 'pending show']) {
    t.ok(lines.includes(known), `${known} is seen`);
  }
  t.same(
    found.flatMap(({ file, words }) => {
      const fault = faultOf(words);
      return fault === null ? [] : [`${file}: ${fault}`];
    }),
    [],
  );
  t.end();
});

/** The commands that the first column names: `keys add HANDLE` · `list`, where later spans leave the noun out. */
const tabled = (markdown: string): string[] =>
  [...markdown.matchAll(/^\| (`.+?) \| /gm)].flatMap(([, cell = '']) => {
    const spans = [...cell.replaceAll('\\|', '|').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.split(' '));
    const noun = spans[0]?.[0] ?? '';
    return spans.flatMap((words) =>
      alternatives(words.slice(0, 2)).flatMap(([one = '', two = '']) => [one, `${one} ${two}`, `${noun} ${one}`]),
    );
  });

t.test('a command that is told a file opens it with the rights of who calls it', (t) => {
  const told = commands.filter(({ operands, options }) =>
    Object.values({ ...operands, ...options }).some(
      (each) => 'placeholder' in each && /^FILE\b/.test(each.placeholder),
    ),
  );
  t.ok(told.length > 5);
  t.same(
    told.filter(({ namesFiles }) => !namesFiles).map(({ name }) => name),
    [],
  );
  t.end();
});

t.test('the page of the command line has every command', (t) => {
  const page = readFileSync(join(ROOT, 'src/docs/operate/cli.md'), 'utf8');
  const found = new Set(tabled(page.slice(0, page.indexOf('## Options'))));
  t.same(
    commands.map(({ name }) => name).filter((name) => !found.has(name)),
    [],
  );
  t.end();
});

t.test('a name that resolves to no command, or to no option of it, is a fault', (t) => {
  const faults = (text: string) => namedIn(text).map(faultOf);
  t.match(faults('see `postroom polish`'), [/No such command/]);
  t.match(faults('Run:\n    postroom pending open ID'), [/No such command/]);
  t.match(faults('`postroom keys add ann --colour red`'), [/Unknown option/]);
  t.same(faults('`postroom keys` and `postroom agents hold|guard`'), [null, null, null]);
  t.same(faults('a postroom is a room'), []);
  t.end();
});

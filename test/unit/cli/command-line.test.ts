import t from 'tap';
import { command, flag, optional, repeated, required } from '../../../src/cli/command.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { commands } from '../../../src/cli/commands/index.ts';

const nothing = async () => null;
const table = [
  command({ name: 'serve', summary: 'serves', operands: {}, options: {}, run: nothing }),
  command({
    name: 'boxes add',
    summary: 'adds a box',
    operands: { name: required('NAME', 'its name'), place: optional('PLACE', 'where') },
    options: { owner: required('EMAIL', 'whose'), size: optional('S', 'how large'), open: flag('open') },
    run: nothing,
  }),
  command({
    name: 'boxes fill',
    summary: 'fills a box',
    operands: { name: required('NAME', 'its name'), things: repeated('THING', 'what goes in') },
    options: {},
    run: nothing,
  }),
  command({ name: 'boxes list', summary: 'lists boxes', operands: {}, options: {}, run: nothing }),
];
const parse = (...args: string[]) => parseCommandLine(table, args);

t.test('operands, options and flags arrive by name', async (t) => {
  t.match(parse('boxes', 'add', 'red', '--owner', 'a@b', '--open'), {
    kind: 'run',
    command: { name: 'boxes add' },
    given: { name: 'red', owner: 'a@b', open: true, place: undefined, size: undefined },
    json: false,
    configFlag: undefined,
  });
  t.match(parse('boxes', 'add', 'red', 'cellar', '--owner=a@b'), { given: { place: 'cellar', open: false } });
});

t.test('the last operand may stand several times, and stands once', async (t) => {
  t.match(parse('boxes', 'fill', 'red', 'cup'), { given: { name: 'red', things: ['cup'] } });
  t.match(parse('boxes', 'fill', 'red', 'cup', 'plate', '--json', 'fork'), {
    given: { things: ['cup', 'plate', 'fork'] },
  });
  t.throws(() => parse('boxes', 'fill', 'red'), { message: 'THING is missing.' });
  t.throws(() => parse('boxes', 'fill', 'red', 'cup', ' '), { message: 'THING is empty.' });
  t.match(parse('boxes', 'fill', '--help'), { text: /^Usage: postroom boxes fill NAME THING\.\.\./ });
});

t.test('--config, --json and --yes stand anywhere on the line, also of a command that asks nothing', async (t) => {
  const line = ['boxes', 'add', 'red', '--owner', 'a@b'];
  for (let at = 0; at <= 3; at++) {
    const args = line.toSpliced(at, 0, '--config', 'boxes', '--json', '--yes');
    t.match(parse(...args), {
      command: { name: 'boxes add' },
      given: { name: 'red' },
      json: true,
      configFlag: 'boxes',
    });
  }
  t.match(parse('--config=c', 'serve'), { command: { name: 'serve' }, configFlag: 'c' });
  t.match(parse('--owner', 'list', 'boxes', 'add', 'red'), {
    command: { name: 'boxes add' },
    given: { owner: 'list' },
  });
});

t.test('what is missing, too much or unknown is wrong usage, told with the usage', async (t) => {
  const usage = {
    exitCode: 2,
    message: /./,
    usage: /^Usage: postroom boxes add NAME \[PLACE\] --owner EMAIL \[--size S\] \[--open\]/,
  };
  for (const args of [
    ['--owner', 'a@b'],
    ['red'],
    ['red', '--owner'],
    ['red', '--owner', ''],
    ['', '--owner', 'a@b'],
    ['red', 'cellar', 'third', '--owner', 'a@b'],
    ['red', '--owner', 'a@b', '--colour', 'red'],
    ['red', '--owner', 'a@b', '--open=yes'],
    ['red', '--owner', 'a@b', '--config'],
  ]) {
    t.throws(() => parse('boxes', 'add', ...args), usage, args.join(' '));
  }
  t.throws(() => parse('boxes', 'burn'), {
    exitCode: 2,
    message: /^No such command: boxes burn\.$/,
    usage: /boxes list/,
  });
  t.throws(() => parse('boxes'), { exitCode: 2, message: /^boxes wants a verb\.$/, usage: /boxes add/ });
  t.throws(() => parse('cellars', 'add'), { exitCode: 2, message: /^No such command: cellars add\.$/, usage: /serve/ });
  t.throws(() => parse(), { exitCode: 2, message: /./, usage: /^Usage/ });
});

t.test('a mistyped command, verb or option is told what was probably meant', async (t) => {
  for (const [args, meant] of [
    [['sevre'], 'serve'],
    [['boxes', 'lsit'], 'boxes list'],
    [['box', 'list'], 'boxes list'],
    [['boxs', 'paint'], 'boxes'],
    [['boxes', 'add', 'red', '--onwer', 'a@b'], '--owner'],
  ] as const) {
    t.throws(() => parse(...args), { message: new RegExp(`Did you mean: ${meant}$`) }, args.join(' '));
  }
  t.throws(() => parse('box', 'list'), { message: /Did you mean/, usage: '' });
  for (const args of [['cellars', 'add'], ['boxes', 'find'], ['x'], ['y'.repeat(10_000)]]) {
    t.throws(() => parse(...args), { message: /^No such command: \S+( \S+)?\.$/ });
  }
});

t.test('help is there for all, for a noun and for a command, whatever else is missing', async (t) => {
  t.match(parse('--help'), { kind: 'help', text: /serve[\s\S]*boxes add[\s\S]*--json/ });
  t.match(parse('boxes', '-h'), { kind: 'help', text: /boxes add[\s\S]*boxes list/ });
  t.match(parse('boxes', 'add', '--help'), { kind: 'help', text: /--owner EMAIL {2,}whose/ });
  t.match(parse('help'), parse('--help'));
  t.match(parse('help', 'boxes', 'add'), parse('boxes', 'add', '--help'));
  t.match(parse('--version'), { kind: 'version' });
});

t.test('an option means the same wherever it stands: of one kind in every command', async (t) => {
  const kinds = new Map<string, string>();
  for (const { name, operands, options } of commands) {
    for (const [option, { kind }] of Object.entries(options)) {
      const form = kind === 'flag' ? 'flag' : 'text';
      t.equal(kinds.get(option) ?? form, form, `${name} --${option}`);
      t.notOk(option in operands, `${name}: ${option} is no operand too`);
      kinds.set(option, form);
    }
  }
  t.equal(new Set(commands.map(({ name }) => name)).size, commands.length);
});

import t from 'tap';
import { details, printable, printableJson, table } from '../../../src/cli/table.ts';

t.test('columns are as wide as their widest cell, and no line ends in blanks', async (t) => {
  t.equal(
    table(
      ['name', ['N', ({ n }) => n]],
      [
        { name: 'ann', n: 1 },
        { name: 'a longer one', n: null },
      ],
      'none',
    ),
    ['NAME          N', 'ann           1', 'a longer one  -'].join('\n'),
  );
  t.equal(
    table(['made_by', ['N', 'n'], 'last_used_at'], [{ made_by: 'ann', n: '', last_used_at: 1 }], 'none'),
    'MADE BY  N  LAST USED\nann      -  1',
  );
  t.equal(table([['NAME', () => null]], [], 'Nobody yet.'), 'Nobody yet.');
  t.equal(
    details([
      ['id', 'x'],
      ['handle', null],
    ]),
    'id      x\nhandle  -',
  );
});

t.test('text from outside cannot steer the terminal', async (t) => {
  t.equal(
    table(['reply'], [{ reply: '550 \u001b[2Jgone\r\nok\u009b1m' }], ''),
    'REPLY\n550 \ufffd[2Jgone\ufffd\ufffdok\ufffd1m',
  );
});

t.test('nor turn its direction', async (t) => {
  t.equal(
    table(['subject'], [{ subject: 'invoice\u202efdp.exe \u2066x\u2069\u2028y' }], ''),
    'SUBJECT\ninvoice\ufffdfdp.exe \ufffdx\ufffd\ufffdy',
  );
  t.equal(printable('a\u200fb\u061cc'), 'a\ufffdb\ufffdc');
  t.equal(printable('שלום, عالم'), 'שלום, عالم', 'letters keep the direction that is theirs');
});

t.test('nor does its JSON, which says the same', async (t) => {
  const body = 'a\u009b2Jb \u202egpj.exe\u2069\u2028\u007f ünïcode ∀';
  const text = printableJson({ body });
  t.match(text, /a\\u009b2Jb \\u202egpj\.exe\\u2069\\u2028\\u007f ünïcode ∀/);
  t.same(JSON.parse(text), { body });
});

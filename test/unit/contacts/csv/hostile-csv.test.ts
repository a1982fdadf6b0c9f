import t from 'tap';
import { MAX_ROWS, readCsv } from '../../../../src/contacts/csv/read-csv.ts';
import { rounds } from '../../../harness/long-form.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const read = (text: string) => readCsv(Buffer.from(text));

t.test('as many rows as are allowed are read, and not one more', async (t) => {
  const rows = Array.from({ length: MAX_ROWS + 1 }, (_, at) => `a${at}@x.example,Ann`);
  const most = read(`email,name\n${rows.slice(1).join('\n')}`);
  t.equal(most.kind === 'read' && most.rows.length, MAX_ROWS);
  t.equal(read(`email,name\n${rows.join('\n')}\nb@x.example,Bob`).kind, 'too_many_rows');
  t.equal(read('a@x.example,b@x.example\n'.repeat(MAX_ROWS / 2 + 1)).kind, 'too_many_rows', 'two in a row');
});

t.test('columns, cells and values are bounded', async (t) => {
  t.same(read(`email\n${'a@x.example,'.repeat(600)}`), {
    kind: 'read',
    columnsUnderstood: ['email'],
    rows: [],
    skipped: [{ row: 2, reason: 'too_many_columns', shown: 'a@x.example, '.repeat(7).slice(0, 80) }],
  });
  t.same(read(`email,notes\na@x.example,${'x'.repeat(300_000)}`), { kind: 'broken', row: 2 });
  t.same(read(`email,notes\na@x.example,\n\n${','.repeat(300_000)}\n`), { kind: 'broken', row: 4 }, 'empty cells');
  t.equal(
    read(`email,notes\r${`a@x.example,${'x'.repeat(9_000)}\r`.repeat(60)}`).kind,
    'read',
    'lines that end with CR',
  );
  const many = read(`email,name\n${Array.from({ length: 500 }, (_, at) => `a${at}@x.example`).join(';')},Ann`);
  t.equal(many.kind === 'read' && many.rows[0]?.card.channels.length, 100);
});

const SIZE = rounds(1_000_000, 10_000_000);
/** Processor time; what grows with the square of the size would take minutes. */
const MOST_MS = rounds(5_000, 20_000);
const fill = (text: string): string => text.repeat(Math.floor(SIZE / text.length));

const TEXTS: Record<string, string> = {
  commas: fill(','),
  quotes: fill('"'),
  'quotes that open': fill('a,"'),
  'empty lines': fill('\n'),
  'short lines': fill('a\r'),
  'at signs': fill('@'),
  addresses: fill('a@b,'),
  'addresses under a header': `email\n${fill(`${'a@b.example,'.repeat(99)}a@b.example\n`)}`,
  'lines of addresses': fill('a@b\n'),
  angles: `email\n${fill(`${'<'.repeat(900)}a@b\n`)}`,
  'names of at signs': `email\n${fill(`${'@'.repeat(980)} <a@b>\n`)}`,
  'names of at signs and commas': `email\n${fill(`${'@'.repeat(970)},@ <a@b>\n`)}`,
  'columns of cities': `${'Address City,'.repeat(400)}email\n${fill(`${'x,'.repeat(400)}a@b.example\n`)}`,
  'columns of addresses': `${'email,'.repeat(400)}\n${fill(`${'a@b.example,'.repeat(400)}\n`)}`,
  'addresses in a cell': `email,name\n${fill(`${'u@b.example;'.repeat(20_000)},x\n`)}`,
  'fifty cells of addresses': `${'email,'.repeat(50)}\n${fill(`${Array.from({ length: 50 }, (_, cell) => `${Array.from({ length: 100 }, (_, at) => `a${cell}-${at}@x.test`).join(';')},`).join('')}\n`)}`,
  separators: `email,name\n${fill(`a@b.example${';'.repeat(90_000)}\n`)}`,
  blanks: `email,name\n${fill(`a@b.example,a${' '.repeat(200_000)}b\n`)}`,
  words: `email,name\n${fill(`a@b.example,"${'a, '.repeat(60_000)}"\n`)}`,
};

for (const [name, text] of Object.entries(TEXTS)) {
  t.test(`${SIZE / 1_000_000} MB of ${name} are read in time, or refused`, async (t) => {
    const octets = Buffer.from(text);
    const begin = processorMs();
    readCsv(octets);
    const ms = processorMs() - begin;
    t.ok(ms < MOST_MS, `${Math.round(ms)} ms`);
  });
}

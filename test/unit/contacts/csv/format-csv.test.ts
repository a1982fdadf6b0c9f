import t from 'tap';
import { type Card, emptyCard } from '../../../../src/contacts/card.ts';
import { CSV_HEADER, formatCsvRow } from '../../../../src/contacts/csv/format-csv.ts';
import { defuseFormula, withoutDefusal } from '../../../../src/contacts/csv/formulas.ts';
import { readCsv } from '../../../../src/contacts/csv/read-csv.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const email = (value: string) => ({ kind: 'email' as const, value, label: null });
const phone = (value: string) => ({ kind: 'phone' as const, value, label: null });
const card = (fields: Partial<Card>): Card => ({ ...emptyCard(), ...fields });

const ANN = card({
  givenName: 'Ann "A"',
  familyName: 'Lee, jr.',
  preferredName: 'Annie',
  companyName: "'=Acme",
  jobTitle: '-',
  notes: '=HYPERLINK("http://x.example")\nsecond line; third',
  domains: ['acme.example', 'acme.test'],
  channels: [
    email('a@x.example'),
    email('b@x.example'),
    email('c@x.example'),
    email('d@x.example'),
    phone('+41 79'),
    phone('044'),
  ],
  addresses: [
    {
      poBox: 'PO 1',
      extended: null,
      street: '@home',
      locality: 'Bern',
      region: 'BE',
      postalCode: '3000',
      country: 'CH',
      label: null,
    },
  ],
});

t.test('what is written is read again', async (t) => {
  const read = readCsv(
    Buffer.from(CSV_HEADER + formatCsvRow(ANN) + formatCsvRow(card({ channels: [email('z@x.example')] }))),
  );
  t.same(read.kind === 'read' && read.rows.map((row) => row.card), [ANN, card({ channels: [email('z@x.example')] })]);
  t.same(read.kind === 'read' && read.skipped, []);
});

t.test('nor is one that begins where another delimiter divides it', (t) => {
  const divided: Record<string, string> = {
    'Zed;=HYPERLINK("http://x.example")': `Zed;'=HYPERLINK("http://x.example")`,
    'Zed|+1': "Zed|'+1",
    'Zed\t@SUM(1)': "Zed\t'@SUM(1)",
    'one\n-1': "one\n'-1",
    'one\r\n＝1': "one\r\n'＝1",
    'Zed;"=1"': `Zed;"'=1"`,
    "Zed;'=1": "Zed;''=1",
    '=1;=2;=3': "'=1;'=2;'=3",
    ';\n=x': ";\n'=x",
    ';=;=': ";'=;'=",
  };
  for (const [cell, expected] of Object.entries(divided)) {
    t.equal(defuseFormula(cell), expected);
    t.equal(withoutDefusal(expected), cell);
  }
  for (const cell of ['a; b', 'a\n\nb', "it's; 'tis", 'Tel; +41', 'a | b', '1;2']) t.equal(defuseFormula(cell), cell);
  const zed = card({
    givenName: 'Zed;=HYPERLINK("http://x.example")',
    notes: 'one\n- two\n=three;|"=4"',
    channels: [email('z@x.example')],
  });
  const text = formatCsvRow(zed);
  for (const divider of [';', '|', '\t']) {
    const cells = text.split(/\r?\n/).flatMap((line) => line.split(divider));
    t.same(
      cells.filter((cell) => /^"*[=+\-@]/.test(cell)),
      [],
      divider,
    );
  }
  const read = readCsv(Buffer.from(CSV_HEADER + text));
  t.same(read.kind === 'read' && read.rows.map((row) => row.card), [zed], 'and is read as it was');
  const start = processorMs();
  for (const unit of [';"', ";'", ";'=", '"', "'", '\n']) withoutDefusal(defuseFormula(`${unit.repeat(100_000)}=`));
  t.ok(processorMs() - start < 5_000, `${processorMs() - start} ms`);
  t.end();
});

t.test('no cell is a formula', async (t) => {
  const text = formatCsvRow(ANN);
  t.match(text, `"'+41 79"`);
  t.match(text, `"'=HYPERLINK(""http://x.example"")`);
  t.match(text, `"'@home"`);
  t.match(text, `"'-"`);
  for (const cell of ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1', '＝1', "'=1"]) {
    const defused = defuseFormula(cell);
    t.equal(defused.replace(/(?<=\s)'/, ''), `'${cell}`);
    t.equal(withoutDefusal(defused), cell);
  }
  for (const cell of ['', 'a=1', "'tis", "''", '1-2', ' =1']) {
    t.equal(defuseFormula(cell), cell);
    t.equal(withoutDefusal(cell), cell);
  }
});

t.test('each row has the cells of the header', async (t) => {
  const commas = (text: string): number => text.replace(/"[^"]*"/g, '').split(',').length;
  t.equal(CSV_HEADER.charAt(0), '\ufeff');
  t.equal(commas(formatCsvRow(emptyCard())), commas(CSV_HEADER));
  t.equal(
    commas(formatCsvRow(card({ channels: [phone('1'), phone('2'), phone('3'), phone('4')] }))),
    commas(CSV_HEADER),
  );
});

/** CSV in its accepted variations, each with the records that it has. */

import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { readCsv } from '../../src/contacts/csv/read-csv.ts';
import { parseRecords } from '../../src/contacts/csv/records.ts';
import { corpusPath, missingCorpora } from './corpora.ts';

t.test('every file has the records that its JSON says', { skip: missingCorpora }, async (t) => {
  const names = readdirSync(corpusPath('csv-spectrum', 'csvs')).map((name) => name.replace(/\.csv$/, ''));
  t.equal(names.length, 11);
  for (const name of names) {
    const text = readFileSync(corpusPath('csv-spectrum', 'csvs', `${name}.csv`), 'utf8');
    const expected = JSON.parse(readFileSync(corpusPath('csv-spectrum', 'json', `${name}.json`), 'utf8')) as object[];
    const records = parseRecords(text, 100);
    if (!Array.isArray(records)) throw new Error(name);
    const [header = [], ...rows] = records.map(({ record }) => record);
    const objects = rows.map((row) => Object.fromEntries(header.map((column, at) => [column, row[at]])));
    // Some of the JSON has the line ends of the machine that it was made on.
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('\\r\\n', '\\n')) as unknown;
    t.same(plain(objects), plain(expected), name);
  }
});

t.test('with an address in each row, every file is imported whole', { skip: missingCorpora }, async (t) => {
  for (const file of readdirSync(corpusPath('csv-spectrum', 'csvs'))) {
    const records = parseRecords(readFileSync(corpusPath('csv-spectrum', 'csvs', file), 'utf8'), 100);
    if (!Array.isArray(records)) throw new Error(file);
    const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
    const rows = records.map(({ record }, at) => {
      const [first, second] = at === 0 ? ['email', 'notes'] : [`row${at}@x.example`, record.join(' ')];
      return [first, second].map((cell) => quoted(cell ?? '')).join(';');
    });
    const read = readCsv(Buffer.from(rows.join('\r\n')));
    t.same(
      read.kind === 'read' && read.rows.map(({ card }) => card.notes),
      records.slice(1).map(({ record }) => {
        return record.join(' ').replaceAll('\r\n', '\n').trim();
      }),
      file,
    );
  }
});

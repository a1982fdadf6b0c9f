import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { DOC_TABLES, withTable } from '../../../scripts/check-doc-tables.ts';

for (const [name, table] of Object.entries(DOC_TABLES)) {
  t.test(name, async (t) => {
    const markdown = readFileSync(resolve(import.meta.dirname, '../../..', table.file), 'utf8');
    t.equal(withTable(markdown, table), markdown, 'the document has what its list has');
    const [row = ''] = table.rows;
    t.equal(withTable(markdown.replace(`${row}\n`, ''), table), markdown, 'a missing row is put in');
    t.equal(withTable(markdown.replace(row, `${row} |`), table), markdown, 'and another one mended');
    t.equal(withTable('# Nothing\n', table), null);
  });
}

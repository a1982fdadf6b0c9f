/** What a file of contacts may have long or many ends at its bound. */

import t from 'tap';
import { readCsv } from '../../../src/contacts/csv/read-csv.ts';
import { readVCards } from '../../../src/contacts/vcard/read-vcards.ts';
import { splitEscaped } from '../../../src/contacts/vcard/text-value.ts';

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ann', ...lines, 'END:VCARD'].join('\r\n');
const read = (text: string) => {
  const found = readVCards(Buffer.from(text), 10);
  return found.kind === 'read' ? found : null;
};

t.test('a card', async (t) => {
  t.equal(splitEscaped('a;'.repeat(40), ';').length, 20);
  const note = (octets: number) => `NOTE:${'n'.repeat(octets)}`;
  t.match(read(card(note(100_000), note(100_000))), { cards: { length: 1 }, failed: [] });
  t.match(read(card(note(100_000), note(100_000), note(100_000))), { failed: [{ index: 0, reason: 'too_large' }] });
  t.match(read(card(note(128 * 1_024))), { failed: [{ reason: 'too_large' }] }, 'a line');
  t.match(read(card(...Array.from({ length: 201 }, () => 'NOTE:x'))), { failed: [{ reason: 'too_many_lines' }] });
  t.match(read(card(...Array.from({ length: 2_001 }, () => 'X-A:x'))), { failed: [{ reason: 'too_many_lines' }] });
});

t.test('a table', async (t) => {
  const csv = (text: string) => {
    const found = readCsv(Buffer.from(text));
    return found.kind === 'read' ? found : null;
  };
  const wide = (columns: number) => `email,name\na@x.test,Ann\n${'w,'.repeat(columns - 1)}b@x.test\n`;
  t.match(csv(wide(500)), { skipped: [{ row: 3, reason: 'invalid_email' }] });
  t.match(csv(wide(501)), { skipped: [{ row: 3, reason: 'too_many_columns' }] });
  t.equal(csv(wide(501))?.skipped[0]?.shown.length, 80);
  const many = Array.from({ length: 150 }, (_, at) => `a${at}@x.test`).join(';');
  t.equal(csv(`email,name\n"${many}",Ann\n`)?.rows[0]?.card.channels.length, 100);
});

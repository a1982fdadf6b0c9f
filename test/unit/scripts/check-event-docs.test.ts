import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { withEventTable } from '../../../scripts/check-event-docs.ts';

const markdown = readFileSync(resolve(import.meta.dirname, '../../../src/docs/webhooks.md'), 'utf8');

t.equal(withEventTable(markdown), markdown, 'the document has the events of the catalogue');
t.equal(withEventTable(markdown.replace(/^\| `message\.sent`.*\n/m, '')), markdown, 'a missing one is put in');
t.equal(withEventTable(markdown.replace('PASS, FAIL', 'PASS')), markdown, 'and another content mended');
t.equal(withEventTable('# Webhooks\n'), null);

/** Plain functions of the console's screens. */

import t from 'tap';
import { toCsv } from '../../../src/console/api/csv.ts';
import { lookOf } from '../../../src/console/attachments/kinds.ts';
import { meaningOf } from '../../../src/console/health/meaning.ts';

// Their types lead to those of the page, which the types of tests do not have.
const load = (path: string) => import(new URL(`../../../src/console/${path}`, import.meta.url).href);
const { readChannels, readFields } = await load('contacts/contact.ts');
const { readTags } = await load('vault/forms.ts');

t.test('a file is previewed by its type, or by its name where it has none', async (t) => {
  const file = (filename: string, contentType: string, more: object = {}) => ({
    filename,
    contentType,
    size: 1,
    ...more,
  });
  t.equal(lookOf(file('a.png', 'image/png'), false), 'picture');
  t.equal(lookOf(file('a.PDF', 'application/octet-stream'), false), 'pdf');
  t.equal(lookOf(file('a.csv', 'Text/CSV; charset=utf-8'), false), 'table');
  t.equal(lookOf(file('a.ics', 'text/calendar'), false), 'card');
  t.equal(lookOf(file('a', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'), false), 'text');
  t.equal(lookOf(file('a.svg', 'image/svg+xml'), false), null, 'a document that may have script');
  t.equal(lookOf(file('a.png', 'text/html'), false), null, 'a declared type decides');
  t.equal(lookOf(file('a.png', 'image/png', { size: 20_000_000 }), false), null, 'too large');
  t.equal(lookOf(file('a.png', 'image/png', { content_id: 'x' }), true), null, 'the HTML part shows it');
  t.equal(lookOf(file('a.png', 'image/png', { content_id: 'x' }), false), 'picture');
});

t.test("a contact's form is read line by line", async (t) => {
  t.same(readChannels(' anna@a.example (work)\n\n+49 30 1 ( home )\n(none)', 'email'), [
    { kind: 'email', value: 'anna@a.example', label: 'work' },
    { kind: 'email', value: '+49 30 1', label: ' home ' },
  ]);
  t.match(readFields({ given_name: ' Anna ', company_name: ' ', domains: 'a.example\n\n b.example ', phone: '1' }), {
    given_name: 'Anna',
    company_name: null,
    family_name: null,
    domains: ['a.example', 'b.example'],
    channels: [{ kind: 'phone', value: '1', label: null }],
  });
});

t.test('a reply of a host is explained by its code', async (t) => {
  t.match(meaningOf('refused', '550 5.1.1'), { href: '/suppressions' });
  t.match(meaningOf('refused', '550 5.7.26'), { href: '/domains' });
  t.match(meaningOf('refused', '554 5.7.1').words, /policy/);
  t.equal(meaningOf('refused', '').words, 'their mail server was not reached');
  t.equal(meaningOf('refused', '599').words, 'refused');
  t.match(meaningOf('deferred', '451 4.7.1').words, /tried again/);
});

t.test('tags are parted by commas, each once', async (t) => {
  t.same(readTags(' bank, , work,bank '), ['bank', 'work']);
});

t.test('a table for a spreadsheet runs no formula, whichever sign divides its cells', (t) => {
  const rows = [
    ['=1+1', 'x;=1+1', 'x\t@a', '\tx', 'a,b', 'a;b', -5],
    ['2026-11-20', 'Re: "no"', 'a-b'],
  ];
  const lines = [`'=1+1,"x;'=1+1","x\t'@a","'\tx","a,b","a;b",-5`, '2026-11-20,"Re: ""no""",a-b', ''];
  t.equal(toCsv(rows), lines.join('\r\n'));
  const subjects = ['Re: ;"=HYPERLINK("x")', 'Re: |+1', '\uff1d1+1'];
  const defused = [`"Re: ;""'=HYPERLINK(""x"")"`, `Re: |'+1`, `'\uff1d1+1`];
  t.equal(toCsv(subjects.map((subject) => [subject])), `${defused.join('\r\n')}\r\n`, 'as subjects have them');
  t.end();
});

import t from 'tap';
import { wantedMediaType } from '../../../../src/transports/http/wanted-media-type.ts';

t.test('a stream is answered where it is named, and wanted as much as JSON', (t) => {
  const rows: [accept: string | undefined, wanted: string | null][] = [
    [undefined, null],
    ['*/*', null],
    ['application/json', null],
    ['text/vcard', 'text/vcard'],
    ['TEXT/VCARD; charset=utf-8', 'text/vcard'],
    ['text/vcard, application/json', 'text/vcard'],
    ['text/vcard;q=0.5, application/json', null],
    ['application/json;q=0.2, text/vcard;q=0.3', 'text/vcard'],
    ['text/vcard;q=0', null],
    ['text/vcard;q=x', null],
    ['text/*', null],
    [`${'a/b,'.repeat(30)}text/vcard`, null],
    [',,;;"', null],
  ];
  for (const [accept, wanted] of rows) t.equal(wantedMediaType(accept, ['text/vcard']), wanted, accept ?? 'none');
  t.equal(wantedMediaType('text/vcard', []), null);
  t.equal(wantedMediaType('text/csv;q=0.8, text/vcard', ['text/csv', 'text/vcard']), 'text/vcard');
  t.end();
});

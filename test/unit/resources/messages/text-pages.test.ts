import t from 'tap';
import { pageOfPart } from '../../../../src/resources/messages/view.ts';

t.test('pages join to the whole, and no character is cut in two', (t) => {
  const text = 'ab😀cd😀ef';
  for (const size of [1, 2, 3, 5, 100]) {
    let joined = '';
    let offset: number | null = 0;
    while (offset !== null) {
      const page: ReturnType<typeof pageOfPart> = pageOfPart(
        { text, html: null, reply_text: 'ab' },
        'text',
        offset,
        size,
      );
      t.match(page, { html: null, reply_text: 'ab', text_chars: text.length });
      t.ok(page.text.isWellFormed(), `${size} at ${offset}`);
      joined += page.text;
      offset = page.next_offset;
    }
    t.equal(joined, text);
  }
  const parts = { text: 'one', html: '<p>one</p>', reply_text: 'one' };
  t.match(pageOfPart(parts, 'text', 500, 10), { text: '', html: '<p>one</p>', next_offset: null });
  t.match(pageOfPart(parts, 'html', 0, 3), { text: 'one', html: '<p>', text_chars: 10, next_offset: 3 });
  t.match(pageOfPart({ ...parts, html: null }, 'html', 0, 3), { html: null, text_chars: 0, next_offset: null });
  t.end();
});

import t from 'tap';
import { pageOfText } from '../../../src/resources/messages/view.ts';

t.test('pages join to the whole, and no character is cut in two', (t) => {
  const text = 'ab😀cd😀ef';
  for (const size of [1, 2, 3, 5, 100]) {
    let joined = '';
    let offset: number | null = 0;
    while (offset !== null) {
      const page: { text: string; next_offset: number | null } = pageOfText(text, offset, size);
      t.ok(page.text.isWellFormed(), `${size} at ${offset}`);
      joined += page.text;
      offset = page.next_offset;
    }
    t.equal(joined, text);
  }
  t.same(pageOfText(text, 500, 10), { text: '', next_offset: null });
  t.end();
});

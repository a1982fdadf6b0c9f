import t from 'tap';
import { snippetOf } from '../../../../src/mail/text/snippet.ts';

t.test('the first words, on one line', async (t) => {
  t.equal(snippetOf('> quoted\n\n  Hello\t\tthere,\r\nyou.\n > not this'), 'Hello there, you.');
  t.equal(snippetOf(''), '');
  t.equal(snippetOf('\u200c \u034f \u00ad \u200c\u200c hello'), 'hello', 'what fills a preview is nothing');
  t.equal(snippetOf('👨‍👩‍👧 family'), '👨‍👩‍👧 family', 'a joined character stays whole');
});

t.test('cuts no character in half', async (t) => {
  t.equal(snippetOf(`${'x'.repeat(159)}😀`), 'x'.repeat(159));
  t.equal(snippetOf(`${'x'.repeat(158)}😀y`), `${'x'.repeat(158)}😀`);
  t.equal(snippetOf('y '.repeat(500)).length, 159);
});

import t from 'tap';
import { toSnippet } from '../../../../src/mail/text/snippet.ts';

t.test('the first words, on one line', async (t) => {
  t.equal(toSnippet('> quoted\n\n  Hello\t\tthere,\r\nyou.\n > not this'), 'Hello there, you.');
  t.equal(toSnippet(''), '');
  t.equal(toSnippet('\u200c \u034f \u00ad \u200c\u200c hello'), 'hello', 'what fills a preview is nothing');
  t.equal(toSnippet('👨‍👩‍👧 family'), '👨‍👩‍👧 family', 'a joined character stays whole');
});

t.test('cuts no character in half', async (t) => {
  t.equal(toSnippet(`${'x'.repeat(159)}😀`), 'x'.repeat(159));
  t.equal(toSnippet(`${'x'.repeat(158)}😀y`), `${'x'.repeat(158)}😀`);
  t.equal(toSnippet('y '.repeat(500)).length, 159);
});

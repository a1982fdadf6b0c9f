import t from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import { forwardInline } from '../../../../src/mail/compose/forward-inline.ts';

t.test('a forward carries the message below the note', async (t) => {
  const mail = {
    note: 'See *this*.',
    from: { name: 'Eve <b>', address: 'eve@x.y' as Address },
    date: Date.UTC(2026, 8, 1, 10),
    subject: 'Hi\r\nthere',
    to: [{ name: null, address: 'bot@mail.test' as Address }],
    cc: [{ name: 'Cy', address: 'cy@x.test' as Address }],
    text: 'text <part>',
    html: '<p onclick="x">html</p><script>y</script>',
  };
  const { body, html } = forwardInline(mail);
  t.equal(
    body,
    'See *this*.\n\n---------- Forwarded message ---------\nFrom: "Eve <b>" <eve@x.y>\nDate: Tue, 01 Sep 2026 10:00:00 +0000\nSubject: Hi there\nTo: bot@mail.test\nCc: Cy <cy@x.test>\n\ntext <part>',
  );
  t.match(html, '<em>this</em>');
  t.match(html, 'From: &quot;Eve &lt;b&gt;&quot; &lt;eve@x.y&gt;');
  t.match(html, '<p>html</p>');
  t.notMatch(html, /script|onclick/);
  t.match(forwardInline({ ...mail, html: null, note: '' }).html, 'text &lt;part&gt;');
});

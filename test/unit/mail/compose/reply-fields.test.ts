import t from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import {
  baseSubject,
  forwardInline,
  forwardSubject,
  isReplySubject,
  replyReferences,
  replySubject,
} from '../../../../src/mail/compose/reply-fields.ts';

t.test('subjects that belong together have one base', async (t) => {
  for (const subject of [
    'Foo  bar',
    'Re: foo bar',
    'RE: Re: FOO BAR',
    'AW: WG: Foo bar',
    'Fwd: [team] Re: Foo bar',
    'Re[2]: foo bar',
    'Re (3): foo bar',
    'SV: VS: foo bar',
    'TR : foo bar',
    'Antw: RV: Foo bar',
    'Foo bar (fwd)',
    '回复：foo bar',
    '\tre:\r\n foo bar ',
  ]) {
    t.equal(baseSubject(subject), 'foo bar', subject);
  }
  for (const subject of ['[urgent]', 'really: x', 'ref: x', 'i: think']) t.equal(baseSubject(subject), subject);
  t.equal(baseSubject('Re:'), '');
});

t.test('a reply is told from a forward', async (t) => {
  for (const subject of ['Re: x', 'AW: x', '[list] Re: x', 'sv: x', 'Antw: x', 'Re[4]: x'])
    t.ok(isReplySubject(subject), subject);
  for (const subject of ['x', 'Fwd: x', 'WG: x', 'Fwd: Re: x', 'Reply: x', 'Release: 1', ''])
    t.notOk(isReplySubject(subject), subject);
});

t.test('marks stand once', async (t) => {
  t.equal(replySubject('x'), 'Re: x');
  t.equal(replySubject('RE: Re: x'), 'Re: x');
  t.equal(replySubject('AW: x'), 'Re: x');
  t.equal(replySubject('Fwd: x'), 'Re: Fwd: x');
  t.equal(replySubject(''), 'Re:');
  t.equal(forwardSubject('Fw: FWD: x'), 'Fwd: x');
  t.equal(forwardSubject('Re: x'), 'Fwd: Re: x');
});

t.test('references name the ancestors, oldest first, the parent last', async (t) => {
  t.same(replyReferences('<c@x>', ['<a@x>', '<b@x>']), ['<a@x>', '<b@x>', '<c@x>']);
  t.same(replyReferences('<a@x>', ['<a@x>', '<b@x>', '<b@x>']), ['<b@x>', '<a@x>']);
  t.same(replyReferences(null, ['<a@x>']), ['<a@x>']);
  const long = replyReferences(
    '<p@x>',
    Array.from({ length: 100 }, (_, i) => `<${i}@x>`),
  );
  t.equal(long.length, 40);
  t.same([long[0], long[19], long[20], long[39]], ['<0@x>', '<19@x>', '<81@x>', '<p@x>']);
});

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

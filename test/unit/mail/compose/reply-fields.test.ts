import t from 'tap';
import {
  baseSubject,
  forwardSubject,
  isForwardSubject,
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
    'R: Re: foo bar',
    'VÁ: Továbbítás: foo bar',
    'ΑΠ: ΠΡΘ: foo bar',
    'Ynt: İLT: foo bar',
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
  for (const subject of ['Fwd: x', 'WG: Re: x', '[list] FW: x', 'x (fwd)']) t.ok(isForwardSubject(subject), subject);
  for (const subject of ['x', 'Re: Fwd: x', 'Re: x (fwd)', 'Forward: x', ''])
    t.notOk(isForwardSubject(subject), subject);
});

t.test('marks stand once', async (t) => {
  t.equal(replySubject('x'), 'Re: x');
  t.equal(replySubject('RE: Re: x'), 'Re: x');
  t.equal(replySubject('AW: x'), 'Re: x');
  t.equal(replySubject('R: Re: R: x'), 'Re: x');
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

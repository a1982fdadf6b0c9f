import t from 'tap';
import { parseSearch } from '../../../../src/resources/search/query.ts';

const words = (text: string) => parseSearch(text)?.all.map((group) => group.map(({ text: word }) => word));

t.test('words, phrases, alternatives, prefixes', (t) => {
  t.same(words('tea biscuits'), [['tea'], ['biscuits']]);
  t.same(words('"tea and biscuits"'), [['tea and biscuits']]);
  t.same(words('tea OR coffee milk'), [['tea', 'coffee'], ['milk']]);
  t.same(words('OR tea OR'), [['tea']]);
  t.same(words('tea AND milk'), [['tea'], ['milk']], 'all are wanted in any case');
  t.same(words('tea and "AND" milk'), [['tea'], ['and'], ['AND'], ['milk']]);
  t.same(words('"unclosed phrase'), [['unclosed phrase']]);
  t.match(parseSearch('bud* -tea'), { all: [[{ text: 'bud', prefix: true }]], none: [{ text: 'tea', prefix: false }] });
  t.end();
});

t.test('an address is looked for by the name of its domain that is stored, too', (t) => {
  t.same(words('from:jörg@münchen.test to:bob@x.test'), [
    ['jörg@münchen.test', 'jörg@xn--mnchen-3ya.test'],
    ['bob@x.test'],
  ]);
  t.same(words('from:"Dr. Müller" subject:münchen.test'), [['Dr. Müller'], ['münchen.test']]);
  t.same(parseSearch('a -from:münchen.test')?.none.length, 2);
  t.end();
});

t.test('fields and filters; what is none of ours is refused', (t) => {
  t.match(parseSearch('from:ann subject:"big plan" to:bob'), {
    all: [[{ column: 'sender', text: 'ann' }], [{ column: 'subject', text: 'big plan' }], [{ column: 'recipients' }]],
  });
  t.match(parseSearch('From: ann subject: "big plan" -to: bob'), {
    all: [[{ column: 'sender', text: 'ann' }], [{ column: 'subject', text: 'big plan' }]],
    none: [{ column: 'recipients', text: 'bob' }],
  });
  t.match(parseSearch('has:attachment is:unread in:out after:2026-01-31 before:2026-02-01'), {
    all: [],
    hasAttachment: true,
    unread: true,
    direction: 'out',
    after: Date.UTC(2026, 0, 31),
    before: Date.UTC(2026, 1, 1),
  });
  t.match(parseSearch('after:2026/01/31'), { after: Date.UTC(2026, 0, 31) }, 'as Gmail writes it');
  const refused = { code: 'invalid_request', hint: /The operators are from:/ };
  for (const text of ['before:yesterday', 'after:2026-02-30', '-is:starred', 'label:x', 'tea cc:ann']) {
    t.throws(() => parseSearch(text), refused, text);
  }
  t.same(words('note:this "label:x"'), [['note:this'], ['label:x']]);
  t.equal(parseSearch('*** ( "" -'), null, 'nothing that a mail could hold');
  t.equal(parseSearch(Array(100).fill('word').join(' '))?.all.length, 32, 'a long query is cut');
  t.end();
});

t.test('prefixes: long enough to name few words, and few of them', (t) => {
  const refused = { code: 'invalid_request', hint: /`q`: a word with \* has at least 3 letters/ };
  for (const text of ['ab*', 'a* OR b*', '-x*', 'from:jo*', 'one* two* three* four*', 'long-er*']) {
    t.throws(() => parseSearch(text), refused, text);
  }
  t.equal(parseSearch('one* two* OR three* four')?.all.length, 3);
  t.ok(parseSearch('東京*'), 'one character of some scripts says as much as three letters');
  t.end();
});

import t from 'tap';
import { parseAddableName } from '../../../src/domains/domain-names.ts';

const OWN = ['agents.box.test', 'mx.box.test'];
const parse = (text: string) => parseAddableName(text, OWN);

t.test('what may be added', async (t) => {
  for (const [text, name] of [
    ['example.com', 'example.com'],
    [' Mail.Example.COM. ', 'mail.example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['box.test', 'box.test'],
    ['my-agents.box.test', 'my-agents.box.test'],
  ] as const) {
    t.same(parse(text), { kind: 'name', name }, text);
  }
});

t.test('what may not, and why', async (t) => {
  t.match(parse('x.agents.box.test'), { kind: 'refused', hint: /the service itself/ });
  t.match(parse('MX.box.test'), { kind: 'refused', hint: /the service itself/ });
  t.match(parse('co.uk'), { kind: 'refused', hint: /public suffix/ });
  t.match(parse('github.io'), { kind: 'refused', hint: /public suffix/ });
  t.match(parse('nas.local'), { kind: 'refused', hint: /public DNS/ });
  t.match(parse('1.0.0.10.in-addr.arpa'), { kind: 'refused', hint: /public DNS/ });
  t.match(parse(`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example`), { kind: 'refused', hint: /180/ });
  for (const text of ['example', '10.0.0.1', '::1', 'a_b.example', 'a@b.example', 'http://a.example', 'a..b.example']) {
    t.equal(parse(text).kind, 'refused', text);
  }
});

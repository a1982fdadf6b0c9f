import t from 'tap';
import { relaxedBody } from '../../../../src/mail/auth/relaxed-body.ts';

const relaxed = (body: string): string => relaxedBody(Buffer.from(body, 'latin1')).toString('latin1');

/** RFC 6376 section 3.4.4 word by word. */
const asTheStandardSays = (body: string): string => {
  const lines = body
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(?:\r\n)+$/, '');
  return lines === '' ? '' : `${lines}\r\n`;
};

t.test('the examples of RFC 6376', async (t) => {
  t.equal(relaxed(' C \r\nD \t E\r\n\r\n\r\n'), ' C\r\nD E\r\n');
  t.equal(relaxed(''), '');
  t.equal(relaxed('\r\n\r\n'), '');
  t.equal(relaxed(' \t\r\n'), '');
  t.equal(relaxed('no end'), 'no end\r\n');
  t.equal(relaxed('a \r b\r\n'), 'a \r b\r\n', 'a bare CR is content');
});

t.test('any body', async (t) => {
  const pieces = ['a', ' ', '\t', '\r\n', '\r', 'bc', '\r\n\r\n', '\xe9'];
  let state = 1;
  const next = (): number => {
    state = (state * 48271) % 2147483647;
    return state;
  };
  const differing: string[] = [];
  for (let round = 0; round < 5_000; round += 1) {
    const body = Array.from({ length: next() % 12 }, () => pieces[next() % pieces.length]).join('');
    if (relaxed(body) !== asTheStandardSays(body) || relaxed(relaxed(body)) !== relaxed(body)) differing.push(body);
  }
  t.same(differing, []);
});

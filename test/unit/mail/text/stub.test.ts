import t from 'tap';
import { isStub } from '../../../../src/mail/text/stub.ts';

const NOTICE = 'View this email in your browser: https://x.test/';

t.test('a notice that there is HTML is a stub', async (t) => {
  t.ok(isStub(NOTICE, 'Your code is 552214.'));
  t.ok(isStub('Hello.', 'Hello. This is all that there is to say about the figures of the last quarter.'));
});

t.test('a text that says what the HTML says is none, with such a notice in it or without', async (t) => {
  const text = 'Hello Ann,\n\nthe deals of this week are here.\n\nSee all deals: https://shop.test/deals';
  t.notOk(isStub(text, 'Hello Ann,\n\nthe deals of this week are here.'));
  t.notOk(isStub(`${text}\n${NOTICE}`, 'Hello Ann,\n\nthe deals of this week are here.\n\nSee all deals'));
  t.notOk(isStub(`${NOTICE}\n${text}`, 'Hello Ann,\n\nthe deals of this week are here.'), 'also where it says more');
});

import t from 'tap';
import { parseAddress } from '../../../../src/kernel/address.ts';
import { readSubmittedHeader, sortRecipients } from '../../../../src/transports/submission/submitted-header.ts';

const named = (text: string, name: string | null = null) => {
  const address = parseAddress(text);
  if (!address) throw new Error(text);
  return { name, address };
};
const read = (text: string) => readSubmittedHeader(Buffer.from(`${text}\r\n\r\nTo: nobody@x.test\r\n`));

t.test('the one who sends', (t) => {
  t.same(read('From: Ann <ann@a.test>').from, named('ann@a.test', 'Ann'));
  for (const text of [
    'Subject: none',
    'From: ann@a.test, bob@a.test',
    'From: ann@a.test\r\nFrom: ann@a.test',
    'From: ann@a.test\r\nFROM : bob@a.test',
    'From: ann@a.test, what is this <',
    'From: friends:;',
  ]) {
    t.equal(read(text).from, null, text);
  }
  t.equal(read('From: a@a.test\r\nIn-Reply-To: <one@x> <two@x>').inReplyTo, '<one@x>');
  t.end();
});

t.test('the envelope decides who gets it, the header how each is named', (t) => {
  const header = read('To: Carol <carol@x.test>, left@x.test\r\nCc: dave@x.test, CAROL@x.test\r\nBcc: eve@x.test');
  const envelope = ['eve@x.test', 'Dave@x.test', 'carol@x.test'].map((text) => named(text));
  t.same(sortRecipients(header, envelope), {
    to: [named('carol@x.test', 'Carol')],
    cc: [named('dave@x.test')],
    bcc: [named('eve@x.test')],
  });
  t.end();
});

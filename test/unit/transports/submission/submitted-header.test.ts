import t from 'tap';
import { readSubmittedHeader, sortRecipients } from '../../../../src/transports/submission/submitted-header.ts';
import { addressFrom } from '../../../harness/address.ts';

const named = (text: string, name: string | null = null) => ({ name, address: addressFrom(text) });
const ANN = named('ann@a.test').address;
const read = (text: string) => readSubmittedHeader(Buffer.from(`${text}\r\n\r\nTo: nobody@x.test\r\n`), ANN);

t.test('the one who sends', (t) => {
  t.equal(read('From: Ann <ANN@a.test>\r\nIn-Reply-To: <one@x> <two@x>').inReplyTo, '<one@x>');
  t.doesNotThrow(() => read('From: "ann"@a.test\r\nSender: Ann <ann@a.test>\r\nReply-To: x@x.test, y@y.test'));
  for (const text of [
    'Subject: none',
    'From: bob@a.test',
    'From: ann@a.test, bob@a.test',
    'From: ann@a.test, bob@[192.0.2.1]',
    'From: ann@a.test\r\nFrom: ann@a.test',
    'From: ann@a.test\r\nFROM : bob@a.test',
    'From: ann@a.test, what is this <',
    'From: friends:;',
  ]) {
    t.throws(() => read(text), { responseCode: 550, message: /^5\.7\.1 From has to be/ }, text);
  }
  for (const field of ['Sender: bob@a.test', 'Resent-From: ann@a.test, bob@a.test', 'Resent-Sender: nobody']) {
    t.throws(() => read(`From: ann@a.test\r\n${field}`), { message: /^5\.7\.1 (Sender|Resent-\w+) has to be/ }, field);
  }
  t.end();
});

t.test('what may stand once, and how much is read', (t) => {
  for (const field of [
    'Sender: ann@a.test',
    'Reply-To: x@x.test',
    'Subject: Hi',
    'Message-ID: <a@b>',
    'References: <a@b>',
  ]) {
    const twice = `From: ann@a.test\r\n${field}\r\n${field}`;
    t.throws(() => read(twice), { responseCode: 550, message: /^5\.6\.0 A mail has one/ }, field);
  }
  t.throws(() => read('From: ann@a.test\r\nReply-To: nobody'), { message: /^5\.6\.0 Reply-To/ });
  t.doesNotThrow(() => read(`From: ann@a.test${'\r\nX: y'.repeat(999)}`));
  t.throws(() => read(`From: ann@a.test${'\r\nX: y'.repeat(1000)}`), { responseCode: 554, message: /^5\.6\.0/ });
  t.end();
});

t.test('the envelope decides who gets it, the header how each is named', (t) => {
  const header = read(
    'From: ann@a.test\r\nTo: Carol <carol@x.test>, left@x.test\r\nCc: dave@x.test, CAROL@x.test\r\nBcc: eve@x.test',
  );
  const envelope = ['eve@x.test', 'Dave@x.test', 'carol@x.test'].map((text) => named(text));
  t.same(sortRecipients(header, envelope), {
    to: [named('carol@x.test', 'Carol')],
    cc: [named('dave@x.test')],
    bcc: [named('eve@x.test')],
  });
  t.end();
});

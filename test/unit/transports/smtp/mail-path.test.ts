import t from 'tap';
import { needsUtf8, parseMailPath, readDeclaredSize } from '../../../../src/transports/smtp/mail-path.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const mail = (text: string | Buffer) => {
  const path = parseMailPath('MAIL FROM', Buffer.from(text));
  return path && { address: path.address, parameters: Object.fromEntries(path.parameters), duplicate: path.duplicate };
};

t.test('paths and their parameters', (t) => {
  const none = { parameters: {}, duplicate: null };
  t.same(mail('MAIL FROM:<a@b.test>'), { address: 'a@b.test', ...none });
  t.same(mail('mail from: <a@b.test> '), { address: 'a@b.test', ...none });
  t.same(mail('MAIL FROM:<>'), { address: '', ...none });
  t.same(mail('MAIL FROM:<"a b\\">"@b.test>'), { address: '"a b\\">"@b.test', ...none });
  t.same(mail('MAIL FROM:<@x.test,@y.test:a@b.test>'), { address: 'a@b.test', ...none }, 'a source route is ignored');
  t.same(mail('MAIL FROM:<ä@b.test> SMTPUTF8'), {
    address: 'ä@b.test',
    parameters: { SMTPUTF8: true },
    duplicate: null,
  });
  t.same(mail('MAIL FROM:<a@b.test> size=10 BODY=8BITMIME'), {
    address: 'a@b.test',
    parameters: { SIZE: '10', BODY: '8BITMIME' },
    duplicate: null,
  });
  t.match(mail('MAIL FROM:<a@b.test> SIZE=1 SIZE=2'), { duplicate: 'SIZE' });
  t.same(parseMailPath('RCPT TO', Buffer.from('RCPT TO:<postmaster>'))?.address, 'postmaster');
  t.end();
});

t.test('what is none', (t) => {
  for (const text of [
    'MAIL FROM:a@b.test',
    'MAIL FROM:<a@b.test',
    'MAIL FROM:<a@b.test>SIZE=1',
    'MAIL FROM:<a b@c.test>',
    'MAIL FROM:<<a@b.test>>',
    'MAIL <a@b.test>',
    'RCPT TO:<a@b.test>',
    'MAIL FROM:<a\0@b.test>',
    Buffer.from('MAIL FROM:<\xe9@b.test>', 'latin1'),
  ]) {
    t.equal(mail(text), null, JSON.stringify(text.toString()));
  }
  const begin = processorMs();
  t.equal(mail(`MAIL FROM:<${'"\\'.repeat(50_000)}`), null);
  t.ok(processorMs() - begin < 2_000, 'in time linear in its length');
  t.end();
});

t.test('small things', (t) => {
  t.equal(needsUtf8('a@b.test'), false);
  t.equal(needsUtf8('a@bücher.test'), true);
  t.equal(readDeclaredSize({ SIZE: '12' }), 12);
  t.equal(readDeclaredSize({}), 1);
  t.equal(readDeclaredSize(false), 1);
  t.end();
});

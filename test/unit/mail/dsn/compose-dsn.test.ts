import t from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import { composeDsn, type DsnInput } from '../../../../src/mail/dsn/compose-dsn.ts';
import { parseReport } from '../../../../src/mail/dsn/parse-report.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';

const AT = Date.UTC(2026, 10, 16, 10);

const notice = (change: Partial<DsnInput> = {}): DsnInput => ({
  from: { name: 'Mail delivery', address: 'mailer-daemon@mx.box.test' as Address },
  to: 'ann@acme.agents.box.test' as Address,
  subject: 'Undeliverable: Hi',
  date: AT,
  messageId: '<1@mx.box.test>',
  inReplyTo: '<0@acme.agents.box.test>',
  references: ['<a@x.test>', '<0@acme.agents.box.test>'],
  text: 'Sorry.\n\n  carol@remote.test\n',
  reportingMta: 'mx.box.test',
  arrivedAt: AT - 1000,
  recipient: 'carol@remote.test' as Address,
  status: '5.1.1',
  remoteMta: 'mx.remote.test',
  diagnostic: '550 5.1.1 No such user',
  lastAttemptAt: AT,
  header: Buffer.from('From: ann@acme.agents.box.test\r\nSubject: Hi\r\n'),
  ...change,
});

t.test('it reads back as what it is', async (t) => {
  const { raw } = composeDsn(notice());
  const mail = await parseMail(raw);
  t.match(mail, {
    subject: 'Undeliverable: Hi',
    messageId: '<1@mx.box.test>',
    inReplyTo: '<0@acme.agents.box.test>',
    references: ['<a@x.test>', '<0@acme.agents.box.test>'],
    automatic: true,
    date: AT,
    text: /^Sorry\.\s+carol@remote\.test\s*$/,
    defects: [],
  });
  t.same(
    mail.attachments.map(({ contentType }) => contentType),
    ['message/delivery-status', 'text/rfc822-headers'],
  );
  t.same(parseReport(mail), {
    kind: 'delivery',
    recipients: [
      {
        addresses: ['carol@remote.test'],
        action: 'failed',
        code: 550,
        enhancedCode: '5.1.1',
        diagnostic: '550 5.1.1 No such user',
      },
    ],
  });
  t.notMatch(raw.toString('latin1'), /(?<!\r)\n|\r(?!\n)/, 'CRLF alone');
});

t.test('what a stranger said gets into no field of its own', async (t) => {
  const { raw } = composeDsn(
    notice({
      subject: 'Grüße\r\nBcc: eve@x.test',
      diagnostic:
        '550 5.1.1 no\r\n\r\nFinal-Recipient: rfc822; eve@x.test\r\nAction: failed – \u{1f600}\r\n--report-1mxboxtest',
      text: 'mx said: ünbekannt\n--report-1mxboxtest\nContent-Type: text/html\n\n<b>',
      header: Buffer.from('Subject: Gr\xfc\xdfe\r\n', 'latin1'),
    }),
  );
  const mail = await parseMail(raw);
  t.equal(mail.subject, 'Grüße Bcc: eve@x.test');
  t.same(
    mail.headers.filter(({ name }) => name === 'Bcc'),
    [],
  );
  t.match(mail.text, /ünbekannt[\s\S]*<b>/);
  t.match(parseReport(mail), { recipients: { length: 1 } });
  t.equal(mail.attachments.length, 2);
});

t.test('a recipient beyond ASCII, and no header', async (t) => {
  const { raw } = composeDsn(notice({ recipient: 'jürgen@remote.test' as Address, header: null, diagnostic: null }));
  t.match(raw.toString(), /^Content-Type: message\/global-delivery-status\r$/m);
  t.match(parseReport(await parseMail(raw)), {
    recipients: [{ addresses: ['jürgen@remote.test'], enhancedCode: '5.1.1' }],
  });
});

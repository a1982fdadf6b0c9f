import MailComposer from 'nodemailer/lib/mail-composer';
import t from 'tap';
import { writeMime } from '../../../../src/mail/compose/write-mime.ts';

const text = (content: string, contentTransferEncoding: string, type = 'plain') => ({
  contentType: `text/${type}; charset=utf-8`,
  content: Buffer.from(content),
  contentTransferEncoding,
});
const LONG = `${'word '.repeat(200)}\r\n\r\n. \r\nGrüße = \t\r\n${'日本語'.repeat(90)}`;
const file = (filename: string, content: Buffer) => ({ filename, content, contentTransferEncoding: 'base64' });
const MAILS = {
  'one part': { alternatives: [text('Hello', 'quoted-printable')] },
  'an empty part': { alternatives: [text('', 'quoted-printable')] },
  'two parts': { alternatives: [text(LONG, 'quoted-printable'), text(`<p>${LONG}</p>`, 'base64', 'html')] },
  'a text that ends with a line': { alternatives: [text('Hello\r\n', 'quoted-printable')] },
  files: {
    alternatives: [text(LONG, 'base64'), text(`<img src="cid:a">`, 'quoted-printable', 'html')],
    attachments: [
      file('a b.bin', Buffer.alloc(1_000, 7)),
      file('c.bin', new Uint8Array([1, 2, 254]) as Buffer),
      { ...file('ü.png', Buffer.alloc(0)), cid: 'a', contentDisposition: 'inline' as const },
      { filename: 'm.eml', contentType: 'message/rfc822', content: Buffer.from('From: a@b.test\r\n\r\nHello\r\n') },
    ],
  },
};

t.test('writes the bytes that the library writes', async (t) => {
  for (const [name, parts] of Object.entries(MAILS)) {
    const head = { from: 'a@b.test', to: 'Ö <c@d.test>', subject: 'Grüße', date: new Date(0), messageId: '<m@b.test>' };
    const root = new MailComposer({ ...head, ...parts }).compile();
    const written = writeMime(root);
    t.equal(written.toString('latin1'), (await root.build()).toString('latin1'), name);
  }
});

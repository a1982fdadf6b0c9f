import t from 'tap';
import { decodeQuotedPrintable } from '../../../../src/mail/mime/quoted-printable.ts';

const decoded = (text: string): string => decodeQuotedPrintable(Buffer.from(text, 'latin1')).toString('latin1');

t.test('what RFC 2045 section 6.7 says', async (t) => {
  t.equal(decoded('caf=E9 =3D=3d\r\n'), 'caf\xe9 ==\n');
  t.equal(decoded('one =\r\nline=  \r\nonly'), 'one lineonly', 'an = at the end joins, blanks behind it or not');
  t.equal(decoded('blanks \t \r\nend '), 'blanks\nend', 'blanks at a line end were added on the way');
  t.equal(decoded('a\nb\r\n\r\n'), 'a\nb\n\n');
  t.equal(decoded(''), '');
});

t.test('what it does not say', async (t) => {
  t.equal(decoded('=ZZ =4 = =\r\n'), '=ZZ =4 = ', 'what is no code stands for itself');
  t.equal(decoded('=4'), '=4');
  t.equal(decoded('=3D41'), '=41', 'nothing is decoded twice');
});

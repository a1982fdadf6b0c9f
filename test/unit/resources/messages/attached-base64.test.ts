import t from 'tap';
import { sendOperations } from '../../../../src/resources/messages/send/contract.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const isTaken = (base64: string): boolean =>
  sendOperations.send.input.safeParse({
    to: ['bob@remote.test'],
    subject: 'Files',
    body: 'Here.',
    attachments: [{ filename: 'a.bin', content_base64: base64 }],
  }).success;

t.test('base64 of a file is taken in lines, in the alphabet of URLs and without padding', (t) => {
  for (const text of ['', 'QUI=', 'QUI', 'QQ==', 'QQ=\n=\n', 'QUJD\r\nQUI=\r\n', 'Q U\tJD', '-_-_'])
    t.ok(isTaken(text), text);
  for (const text of [
    'Q',
    'QUJDR',
    'QQ=',
    'QUI==',
    '=QUI',
    'QU=I',
    'QUJ\u00a0D',
    'QUJ\0',
    'data:text/plain;base64,QUJD',
  ]) {
    t.notOk(isTaken(text), text);
  }
  t.end();
});

t.test('blanks in it cost little, as the event loop stands still meanwhile', (t) => {
  const text = 'Q '.repeat(7_000_000);
  isTaken('QUJD');
  const began = processorMs();
  t.ok(isTaken(text));
  t.ok(processorMs() - began < 500);
  t.end();
});

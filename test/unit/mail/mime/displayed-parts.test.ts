/** Parts other than plain text and HTML that mail programs display. */
import t from 'tap';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';

const read = (...lines: string[]) => parseMail(Buffer.from(lines.join('\r\n')));

const EVENT = [
  'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
  '',
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'SUMMARY:Plan',
  'DTSTART;TZID=Europe/Berlin:20261201T140000',
  'LOCATION:Room 5',
  'DESCRIPTION:Let us talk.',
  'END:VEVENT',
  'END:VCALENDAR',
];

const ofKind = (kind: string) =>
  read(
    'From: a@x.example',
    `Content-Type: multipart/${kind}; boundary=b`,
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Let us talk.',
    '--b',
    ...EVENT,
    '--b--',
  );

t.test('an invitation is told above the text that comes with it', async (t) => {
  const { text, attachments } = await ofKind('alternative');
  t.match(
    text,
    /^Invitation: Plan\nWhen: 2026-12-01 14:00 \(Europe\/Berlin\)\nWhere: Room 5\n\n-{30}\n\nLet us talk\.\s*$/,
  );
  t.equal(attachments.length, 1);
  t.equal((await ofKind('mixed')).text.trim(), 'Let us talk.', 'a calendar that is attached is a file');
});

t.test('Markdown is text', async (t) => {
  for (const type of ['text/markdown', 'text/x-markdown; charset=utf-8']) {
    t.match(await read('From: a@x.example', `Content-Type: ${type}`, '', '# Hi'), { text: '# Hi', attachments: [] });
  }
  const named = await read('From: a@x.example', 'Content-Type: text/markdown; name=a.md', '', '# Hi');
  t.match(named, { text: '', attachments: [{ filename: 'a.md' }] });
});

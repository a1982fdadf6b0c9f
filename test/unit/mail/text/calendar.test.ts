import t from 'tap';
import { describeCalendar, readEventCards } from '../../../../src/mail/text/calendar.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const calendar = (method: string, ...lines: string[]): Buffer =>
  Buffer.from(
    ['BEGIN:VCALENDAR', `METHOD:${method}`, 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'),
  );

t.test('an invitation, with its names, parameters and escapes', async (t) => {
  const octets = calendar(
    'REQUEST',
    'SUMMARY:Plan\\, then\\nbuild',
    'DTSTART;TZID=Europe/Berlin:20261120T140000',
    'DTEND;TZID="Europe/Berlin":20261120T150000',
    'LOCATION:Room 4\\; upstairs',
    'ORGANIZER;CN="Lee; Ann: chair":mailto:ann@x.example',
    'ATTENDEE;CN="Ray, Bob";PARTSTAT=ACCEPTED:MAILTO:bob@x.example',
    'ATTENDEE;CN=Roe, Jane;PARTSTAT=NEEDS-ACTION:mailto:ja',
    ' ne@x.example',
    'BEGIN:VALARM',
    'DESCRIPTION:not of the event',
    'END:VALARM',
    'DESCRIPTION:Bring tea',
  );
  t.equal(
    describeCalendar(octets, true),
    `Invitation: Plan, then
build
When: 2026-11-20 14:00 to 15:00 (Europe/Berlin)
Where: Room 4; upstairs
Organizer: Lee; Ann: chair <ann@x.example>
Attendees: Ray, Bob <bob@x.example>, Roe, Jane <jane@x.example>

Bring tea`,
  );
  t.match(readEventCards(octets), [{ kind: 'Invitation', day: '2026-11-20', attendees: 2, accepted: 1 }]);
});

t.test('times in UTC are told as such, so that a reader gets their own', async (t) => {
  const of = (start: string, end: string) => readEventCards(calendar('REQUEST', `DTSTART${start}`, `DTEND${end}`));
  t.match(of(':20261120T130000Z', ':20261120T140000Z'), [
    { when: '2026-11-20 13:00 to 14:00 (UTC)', starts: '2026-11-20T13:00:00.000Z', ends: '2026-11-20T14:00:00.000Z' },
  ]);
  const none = [{ starts: null, ends: null }];
  t.match(of(';TZID=Europe/Berlin:20261120T140000', ';TZID=Europe/Berlin:20261120T150000'), none);
  t.match(of(';VALUE=DATE:20261120', ';VALUE=DATE:20261121'), none);
  t.match(of(':20261399T999900Z', ':none'), none);
});

t.test('a reply says what the attendee answers', async (t) => {
  const octets = calendar('REPLY', 'SUMMARY:Plan', 'ATTENDEE;PARTSTAT=DECLINED:mailto:bob@x.example');
  t.match(describeCalendar(octets, true), /^Reply to invitation: Plan\nAttendees: bob@x\.example\nAnswer: declined$/);
  const said = calendar('COUNTER', 'SUMMARY:Plan', 'COMMENT:Could it be later\\, please?');
  t.match(describeCalendar(said, false), /^Proposed change: Plan\nComment: Could it be later, please\?$/);
});

t.test('an event that is cancelled by its status says so', async (t) => {
  const octets = calendar('PUBLISH', 'SUMMARY:Plan', 'STATUS:CANCELLED');
  t.equal(describeCalendar(octets, true), 'Cancelled: Plan');
  t.match(readEventCards(octets), [{ kind: 'Cancelled' }]);
});

t.test('a meeting of many names some of them, and counts all', async (t) => {
  const guests = Array.from({ length: 60 }, (_, at) => `ATTENDEE;PARTSTAT=ACCEPTED:mailto:g${at}@x.example`);
  const octets = calendar('REQUEST', 'SUMMARY:Plan', ...guests);
  t.match(describeCalendar(octets, true), /^Attendees: g0@.*, g19@x\.example, 40 more$/m);
  t.match(readEventCards(octets), [{ attendees: 60, accepted: 60 }]);
});

t.test('bounds events, and the length of what they say', async (t) => {
  const event = `BEGIN:VEVENT\r\nSUMMARY:${'s'.repeat(5_000)}\r\nEND:VEVENT\r\n`;
  const octets = calendar('PUBLISH', 'END:VEVENT', event.repeat(30), 'BEGIN:VEVENT', `DESCRIPTION:${'d'.repeat(9e4)}`);
  t.equal(readEventCards(octets).length, 10);
  t.equal(readEventCards(octets)[1]?.title.length, 300);
  t.equal(describeCalendar(octets, true).match(/Event: s{2000}$/gm)?.length, 9);
  const long = calendar('PUBLISH', `DESCRIPTION:${'d'.repeat(9e4)}`, `X-PAD:${'x'.repeat(3e5)}`, 'SUMMARY:behind');
  t.match(describeCalendar(long, true), /^Event: \(no title\)\n\nd{20000}$/);
  t.notMatch(describeCalendar(long, false), 'dd');
});

t.test('lines that are none, and parameters without end, take no time', async (t) => {
  const began = processorMs();
  for (const line of [':', ';', '"', ';A=b', ',b', 'A;B="']) {
    t.equal(readEventCards(calendar('PUBLISH', line.repeat(250_000), 'SUMMARY:x')).length, 1);
  }
  t.ok(processorMs() - began < 5_000);
});

t.test('a date that is none is shown as it is written', (t) => {
  for (const end of ['-271821-04-20', '20261399', '2026-11-20T', '9'.repeat(400)]) {
    const octets = calendar('REQUEST', 'SUMMARY:Plan', 'DTSTART;VALUE=DATE:20261120', `DTEND;VALUE=DATE:${end}`);
    t.match(describeCalendar(octets, true), 'When: 2026-11-20 to ');
    t.match(readEventCards(octets), [{ kind: 'Invitation' }]);
  }
  t.end();
});

/** Times, numbers and sizes as the console writes them. */

import t from 'tap';

const { setInterval } = globalThis;
// The module's clock would keep the process.
globalThis.setInterval = (() => undefined) as never;
const format = await import('../../../src/console/components/format.ts');
globalThis.setInterval = setInterval;

const NOW = new Date(2026, 2, 18, 14, 30);
const at = (...parts: [number, number, number, number?, number?]): string => new Date(...parts).toISOString();

t.beforeEach(() => {
  format.now.value = NOW.getTime();
});

t.test('a time is as short as it is clear', async (t) => {
  t.equal(format.shortTime(at(2026, 2, 18, 9, 5)), '09:05', 'today');
  t.equal(format.shortTime(at(2026, 2, 17, 23, 59)), 'Tue', 'in this week');
  t.equal(format.shortTime(at(2026, 2, 12)), 'Thu');
  t.equal(format.shortTime(at(2026, 2, 11)), '11 Mar', 'a week ago');
  t.equal(format.shortTime(at(2025, 11, 31)), '31 Dec 2025', 'in another year');
  t.equal(format.shortTime(at(2026, 2, 19, 8)), '19 Mar', 'tomorrow');
  t.equal(format.dayAndTime(at(2026, 2, 18, 9, 5)), 'Today 09:05');
  t.equal(format.dayAndTime(at(2026, 2, 17, 9, 5)), 'Tue 09:05');
  t.equal(format.shortDay('2026-03-01'), '1 Mar', 'a day of UTC in every zone');
});

t.test('days of 23 and 25 hours are days', async (t) => {
  const { TZ } = process.env;
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  process.env.TZ = 'Europe/Berlin';
  const [short, long] = [29, 30].map((date) => new Date(2026, 2, date, 14, 30).getTime()) as [number, number];
  format.now.value = short;
  t.match(format.dayAndTime(at(2026, 2, 30, 8)), /^30 Mar /, 'tomorrow');
  format.now.value = long;
  t.match(format.dayAndTime(at(2026, 2, 29, 14)), /^Sun /, 'yesterday');
  t.equal(format.shortTime(at(2026, 2, 23, 14)), '23 Mar', 'a week ago');
  format.now.value = new Date(2026, 9, 26, 14, 30).getTime();
  t.match(format.dayAndTime(at(2026, 9, 25, 14)), /^Sun /);
  t.equal(format.shortTime(at(2026, 9, 20, 14)), 'Tue', 'in this week');
});

t.test('spans of time', async (t) => {
  const before = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();
  const [minute, hour] = [60_000, 3_600_000];
  for (const [ms, text] of [
    [59_999, 'now'],
    [minute, '1 min'],
    [hour - 1, '59 min'],
    [hour, '1 h'],
    [26 * hour, '1 d 2 h'],
    [48 * hour, '2 d'],
    [75 * hour, '3 d'],
    [-hour, 'now'],
  ] as const) {
    t.equal(format.ago(before(ms)), text);
  }
  t.equal(format.until(before(-3 * hour)), '3 h');
  t.equal(format.until(before(-49 * hour)), '2 days');
  t.equal(format.until(before(-167 * hour)), '7 days', 'of a week, on its first day');
  t.equal(format.until(before(hour)), 'now', 'a time that has passed');
});

t.test('numbers, sizes and addresses', async (t) => {
  t.equal(format.count(1_234_567), '1\u2009234\u2009567');
  t.equal(format.percent(0.10449), '10.4 %');
  t.equal(format.plural(1, 'mail'), '1 mail');
  t.equal(format.plural(0, 'reply', 'replies'), '0 replies');
  t.equal(format.size(999), '999 bytes');
  t.equal(format.size(1_499), '1 KB');
  t.equal(format.size(2_550_000), '2.5 MB');
  t.equal(format.size(20_000_000_000), '20.0 GB');
  t.equal(format.shownUrl('https://hooks.example.com/in?token=1#x'), 'hooks.example.com/in');
});

t.test('a snippet has no marks of Markdown', async (t) => {
  for (const [written, read] of [
    ['# Title\n* one **bold** word', 'Title\none bold word'],
    ['see [the offer](https://a.example/x) and `code`', 'see the offer and code'],
    ['| Item | Cost | |---|--:| | Rack | -5 |', 'Item Cost Rack -5'],
    ['one | two', 'one | two'],
    ['snake_case_name', 'snake_case_name'],
    ['an ordinary [PROJ-12] mark', 'an ordinary [PROJ-12] mark'],
  ] as const) {
    t.equal(format.plainWords(written), read);
  }
});

import t from 'tap';
import { DAY, HOUR, SECOND } from '../../../../src/kernel/clock.ts';
import { readRetryAfter } from '../../../../src/net/http/retry-after.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

t.test('Retry-After: seconds or a date, with 429 and 503 alone', async (t) => {
  const read = (status: number | null, text?: string) => readRetryAfter(status, text, NOW, 7 * DAY);
  t.equal(read(429, '7'), 7 * SECOND);
  t.equal(read(429, '7, 7'), 7 * SECOND, 'as a proxy repeats it');
  t.equal(read(503, ' 0 '), null, 'all tries would be used up at once');
  t.equal(read(503, new Date(NOW + HOUR).toUTCString()), HOUR);
  t.equal(read(503, new Date(NOW - HOUR).toUTCString()), null, 'a date that is past asks for nothing');
  t.equal(read(429, '9999999999'), 7 * DAY, 'no longer than the caller waits');
  for (const text of ['soon', '-1x', '']) t.equal(read(429, text), null, text);
  t.equal(read(429), null);
  t.equal(read(500, '7'), null);
  t.equal(read(null, '7'), null, 'without a response');
});

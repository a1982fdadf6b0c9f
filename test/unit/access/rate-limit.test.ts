import t from 'tap';
import { createRateLimit, rateLimitHeaders } from '../../../src/access/rate-limit.ts';

t.test('a window lets so many through, and the next begins anew', (t) => {
  let now = 1_000_000;
  const clock = { now: () => now };
  const limit = createRateLimit(clock, 3);
  t.same(
    [1, 2, 3, 4].map(() => limit.take('a').allowed),
    [true, true, true, false],
  );
  t.equal(limit.take('b').allowed, true);
  t.same(rateLimitHeaders(limit.take('a'), clock), {
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1060',
    'retry-after': '60',
  });
  now += 60_000;
  t.equal(limit.take('a').remaining, 2);
  t.end();
});

t.test('a clock that is set back locks nobody out', (t) => {
  let now = 10_000_000;
  const limit = createRateLimit({ now: () => now }, 1);
  limit.take('a');
  now -= 3_600_000;
  t.equal(limit.take('a').allowed, true);
  t.end();
});

t.test('many addresses are forgotten, oldest first, before they cost memory', (t) => {
  const limit = createRateLimit({ now: () => 0 }, 1);
  limit.take('first');
  for (let n = 0; n < 50_000; n += 1) limit.take(`n${n}`);
  t.equal(limit.take('first').allowed, true, 'forgotten');
  t.equal(limit.take('n49999').allowed, false, 'remembered');
  t.end();
});

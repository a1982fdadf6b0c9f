import t from 'tap';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.ts';
import { nextWebhookAttempt, retryAfterMs } from '../../../src/webhooks/webhook-retries.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

t.test('five retries, each within a tenth of its delay', async (t) => {
  const delays = [30 * SECOND, 2 * MINUTE, 8 * MINUTE, 30 * MINUTE, 2 * HOUR];
  for (const [at, delay] of delays.entries()) {
    t.equal(nextWebhookAttempt(at + 1, NOW, null, 0), NOW + delay * 0.9);
    t.equal(nextWebhookAttempt(at + 1, NOW, null, 0.5), NOW + delay);
  }
  t.equal(nextWebhookAttempt(6, NOW, null, 0), null);
  t.equal(nextWebhookAttempt(6, NOW, 5, 0), null, 'asking for more gives no more');
});

t.test('Retry-After: seconds or a date, with 429 and 503 alone', async (t) => {
  t.equal(retryAfterMs(429, '7', NOW), 7 * SECOND);
  t.equal(retryAfterMs(429, '7, 7', NOW), 7 * SECOND, 'as a proxy repeats it');
  t.equal(retryAfterMs(503, ' 0 ', NOW), null, 'all tries would be used up at once');
  t.equal(retryAfterMs(503, new Date(NOW + HOUR).toUTCString(), NOW), HOUR);
  t.equal(retryAfterMs(503, new Date(NOW - HOUR).toUTCString(), NOW), null, 'a date that is past asks for nothing');
  t.equal(retryAfterMs(429, '9999999999', NOW), 7 * DAY, 'no event is kept longer');
  for (const text of ['soon', '-1x', '']) t.equal(retryAfterMs(429, text, NOW), null, text);
  t.equal(retryAfterMs(429, undefined, NOW), null);
  t.equal(retryAfterMs(500, '7', NOW), null);
  t.equal(nextWebhookAttempt(1, NOW, 7 * SECOND, 0.99), NOW + 7 * SECOND);
});

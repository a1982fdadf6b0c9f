import t from 'tap';
import { HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.ts';
import { nextWebhookAttempt } from '../../../src/webhooks/webhook-retries.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

t.test('five retries, each within a tenth of its delay', async (t) => {
  const delays = [30 * SECOND, 2 * MINUTE, 8 * MINUTE, 30 * MINUTE, 2 * HOUR];
  for (const [at, delay] of delays.entries()) {
    t.equal(nextWebhookAttempt(at + 1, NOW, null, 0), NOW + delay * 0.9);
    t.equal(nextWebhookAttempt(at + 1, NOW, null, 0.5), NOW + delay);
  }
  t.equal(nextWebhookAttempt(1, NOW, 7 * SECOND, 0.99), NOW + 7 * SECOND, 'as long as the receiver asks for');
  t.equal(nextWebhookAttempt(6, NOW, null, 0), null);
  t.equal(nextWebhookAttempt(6, NOW, 5, 0), null, 'asking for more gives no more');
});

import { readFileSync } from 'node:fs';
import t from 'tap';
import { newWebhookSecret, webhookSignatureHeaders } from '../../../src/seal/webhook-signature.ts';

/** The vectors as the documentation has them, for those who write receivers in other languages. */
const text = readFileSync(new URL('../../../src/docs/webhooks.md', import.meta.url), 'utf8');
const vectors = text.slice(text.indexOf('### Test vectors'), text.indexOf('## Templates'));
const body = Buffer.from(/```json\n(.*)\n```/.exec(vectors)?.[1] ?? '');
const secrets = vectors.match(/whsec_[A-Za-z0-9+/=]+/g) ?? [];
const blocks = [...vectors.matchAll(/```\n(x-svc[\s\S]*?)```/g)].map(([, lines = '']) =>
  Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  ),
);

t.test("the documentation's vectors hold", async (t) => {
  t.equal(body.length, 132);
  t.equal(secrets.length, 2);
  const sign = (valid: string[]) =>
    webhookSignatureHeaders({
      id: 'evt_2vQmB7dWn0aLkR4tYx8ZpC1s',
      body,
      at: Date.UTC(2026, 10, 21, 12, 0, 5, 700),
      secrets: valid,
    });
  const [first = '', second = ''] = secrets;
  t.same(sign([first]), blocks[0]);
  t.same(sign([second, first]), blocks[1]);
});

t.test('a secret is whsec_ and base64 of 32 bytes', async (t) => {
  const secret = newWebhookSecret((size) => new Uint8Array(size).fill(1));
  t.equal(secret, secrets[0]);
});

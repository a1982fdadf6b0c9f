import { createHmac } from 'node:crypto';
import t from 'tap';
import { requireWebhookSignature, verifyWebhook } from '../../../src/client/verify-webhook.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const SECRET = 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=';
const body = JSON.stringify({ id: 'evt_1', event: 'message.received', timestamp: 'x', data: { subject: 'Grüße' } });

const digest = (seconds: number | string, secret = SECRET) =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
const at = NOW / 1000;
const verify = (signature: string | null | undefined, more: { body?: string | Uint8Array; secret?: string } = {}) =>
  verifyWebhook({ body, signature, secret: SECRET, now: NOW, ...more });
const refusal = { name: 'WebhookVerificationError' };

t.test('what is genuine gives its envelope', async (t) => {
  t.match(await verify(`t=${at},v1=${digest(at)}`), { id: 'evt_1', data: { subject: 'Grüße' } });
  t.match(await verify(`t=${at},v1=${digest(at)}`, { body: Buffer.from(body) }), { id: 'evt_1' });
  const wrong = digest(at, 'whsec_other');
  t.match(await verify(`t=${at},v1=${wrong},v1=${digest(at)}`), { id: 'evt_1' }, 'any digest authenticates');
  t.match(await verify(`t=${at - 300},v1=${digest(at - 300)}`), { id: 'evt_1' });
  t.match(await verify(`t=${at + 300},v1=${digest(at + 300)}`), { id: 'evt_1' });
});

t.test('what is not is refused', async (t) => {
  const cases: [string, string | null | undefined][] = [
    ['none', undefined],
    ['null', null],
    ['empty', ''],
    ['no time', `v1=${digest(at)}`],
    ['a time that is no number', `t=x,v1=${digest('x')}`],
    ['too old', `t=${at - 301},v1=${digest(at - 301)}`],
    ['too new', `t=${at + 301},v1=${digest(at + 301)}`],
    ['another time than was signed', `t=${at + 1},v1=${digest(at)}`],
    ['another secret', `t=${at},v1=${digest(at, 'whsec_other')}`],
    ['cut', `t=${at},v1=${digest(at).slice(0, 62)}`],
    ['longer', `t=${at},v1=${digest(at)}00`],
    ['upper case', `t=${at},v1=${digest(at).toUpperCase()}`],
    ['bare', digest(at)],
    ['past what is looked at', `t=${at}${`,v1=${'0'.repeat(64)}`.repeat(16)},v1=${digest(at)}`],
  ];
  for (const [name, signature] of cases) await t.rejects(verify(signature), refusal, name);
  await t.rejects(verify(`t=${at},v1=${digest(at)}`, { body: `${body} ` }), refusal, 'another body');
});

t.test('bodies of templates need not be envelopes', async (t) => {
  const text = 'plain';
  const signature = `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex')}`;
  await t.resolves(requireWebhookSignature({ body: text, signature, secret: SECRET, now: NOW }));
});

import t from 'tap';
import { fillTemplate, templateText } from '../../../src/webhooks/payload-template.ts';

const envelope = (data: Record<string, unknown>) => ({
  id: 'evt_1',
  event: 'message.sent',
  timestamp: '2026-11-21T12:00:00.000Z',
  data,
});
const fill = (template: Record<string, unknown>, data: Record<string, unknown> = {}): unknown =>
  JSON.parse(fillTemplate(templateText(template), envelope(data)).toString());

t.test('values are escaped for JSON strings', async (t) => {
  const nasty = 'a"b\\c\n\u0000\u2028{{id}}</script>';
  t.same(fill({ a: '<{{data.x}}>', '{{event}}': ['{{ id }}'] }, { x: nasty }), {
    a: `<${nasty}>`,
    'message.sent': ['evt_1'],
  });
});

t.test('lists, numbers, booleans, missing fields', async (t) => {
  const data = { to: ['a@b', 'c@d'], n: 0.5, yes: true, none: null, o: { a: 1 } };
  t.same(fill({ a: '{{data.to}}|{{data.n}}|{{data.yes}}|{{data.none}}|{{data.o}}|{{data.missing}}' }, data), {
    a: 'a@b, c@d|0.5|true||{"a":1}|',
  });
  t.same(fill({ a: '{{data.constructor}}{{data.__proto__}}' }), { a: '' }, 'what every object has is no field');
});

t.test('braces that do not make a placeholder within one string stay as they are', async (t) => {
  const template = { a: '{{', b: 'id}}', c: '{ {id} }', d: '{{{id}}}', e: { f: { g: {} } } };
  t.same(fill(template), { ...template, d: '{evt_1}' });
});

t.test('the filled body is bounded', async (t) => {
  const template = { a: '{{data.x}}'.repeat(3000) };
  t.throws(() => fill(template, { x: 'y'.repeat(1000) }), { name: 'BodyTooLarge' });
  t.match(fill(template, { x: 'y' }), { a: 'y'.repeat(3000) });
});

t.test('a template has a depth and a size', async (t) => {
  const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: nested(depth - 1) });
  t.ok(templateText(nested(32)));
  t.throws(() => templateText(nested(33)), { code: 'invalid_template' });
  t.ok(templateText({ a: 'x'.repeat(32 * 1_024 - 8) }));
  t.throws(() => templateText({ a: 'x'.repeat(32 * 1_024 - 7) }), { code: 'template_too_large' });
});

import t from 'tap';
import { parseExpiry } from '../../../src/cli/expiry.ts';

const now = Date.parse('2026-01-31T12:00:00.000Z');
const expiry = (text: string) => new Date(parseExpiry(text, now)).toISOString();

t.test('a span counts from now', async (t) => {
  t.equal(expiry('90m'), '2026-01-31T13:30:00.000Z');
  t.equal(expiry('12h'), '2026-02-01T00:00:00.000Z');
  t.equal(expiry('30d'), '2026-03-02T12:00:00.000Z');
  t.equal(expiry('2w'), '2026-02-14T12:00:00.000Z');
});

t.test('a date is its beginning in UTC, a timestamp has a zone', async (t) => {
  t.equal(expiry('2027-01-31'), '2027-01-31T00:00:00.000Z');
  t.equal(expiry('2026-02-01T01:00:00+02:00'), '2026-01-31T23:00:00.000Z');
});

t.test('anything else, and what is past, is wrong usage', async (t) => {
  for (const text of [
    'soon',
    '0d',
    '-3d',
    '30',
    '30y',
    '2026-02-01T01:00:00',
    '2026-13-01',
    '2027-02-30',
    '2027-02-29T09:00:00Z',
    '01.02.2027',
  ]) {
    t.throws(() => parseExpiry(text, now), { exitCode: 2, message: /is no time/ }, text);
  }
  t.throws(() => parseExpiry('2026-01-31', now), { exitCode: 2, message: /is past/ });
});

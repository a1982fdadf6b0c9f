import t from 'tap';
import { DAY, HOUR, MINUTE } from '../../../../../src/kernel/clock.ts';
import type { AcmeClient } from '../../../../../src/net/tls/acme/acme-client.ts';
import { AuthorityUnreachable } from '../../../../../src/net/tls/acme/authority-unreachable.ts';
import type { ChallengeType } from '../../../../../src/net/tls/acme/challenge.ts';
import type { IssuedCertificate } from '../../../../../src/net/tls/acme/issued-certificates.ts';
import { type CertificateNames, createRenewal, isDue } from '../../../../../src/net/tls/acme/renewal.ts';

const NOW = Date.UTC(2026, 0, 1);
const VALID_MS = 90 * DAY;
const pair = { cert: Buffer.from('cert'), key: Buffer.from('key') };
const issued = (names: readonly string[], validFrom = NOW): IssuedCertificate => ({
  ...pair,
  names,
  validFrom,
  validTo: validFrom + VALID_MS,
});

t.test('a certificate is due where it is missing, for other names, or past two thirds of its time', async (t) => {
  t.equal(isDue(null, ['a.test'], NOW), true);
  t.equal(isDue(issued(['a.test']), ['a.test'], NOW), false);
  t.equal(isDue(issued(['a.test']), ['a.test', 'b.test'], NOW), true);
  t.equal(isDue(issued(['a.test', 'b.test']), ['a.test'], NOW), false);
  t.equal(isDue(issued(['a.test']), ['a.test'], NOW + 60 * DAY - 1), false);
  t.equal(isDue(issued(['a.test']), ['a.test'], NOW + 60 * DAY), true);
});

const start = (
  wanted: readonly CertificateNames[],
  obtain: AcmeClient['obtain'],
  ways: readonly ChallengeType[],
  authorityAheadMs = 0,
) => {
  const clock = { at: NOW, now: () => clock.at };
  const known = new Map<string, IssuedCertificate>();
  const warned: object[] = [];
  const renew = createRenewal({
    certificates: {
      find: (name) => known.get(name) ?? null,
      put: (name) => void known.set(name, issued([name], clock.at + authorityAheadMs)),
    },
    client: async () => ({ obtain }),
    wanted: async () => wanted,
    waysFor: () => ways,
    clock,
    log: { info: () => {}, warn: (fields) => void warned.push(fields), error: () => {} },
  });
  return { clock, known, warned, renew };
};

t.test('each way is tried within minutes; after that attempts go apart, up to a day', async (t) => {
  const asked: [number, ChallengeType][] = [];
  const { clock, warned, renew } = start(
    [['a.test']],
    async (_names, type) => {
      asked.push([clock.at - NOW, type]);
      throw new Error('refused');
    },
    ['http-01', 'tls-alpn-01'],
  );
  for (; clock.at < NOW + 4 * DAY; clock.at += MINUTE) await renew();
  const waits = asked.map(([at], n) => at - (asked[n - 1]?.[0] ?? 0));
  t.same(waits.slice(0, 8), [0, MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR, DAY]);
  t.same(
    asked.slice(0, 3).map(([, type]) => type),
    ['http-01', 'tls-alpn-01', 'http-01'],
  );
  t.match(warned[0], {
    names: ['a.test'],
    way: 'http-01',
    reason: 'refused',
    next_attempt_at: '2026-01-01T00:01:00.000Z',
  });
});

t.test('of names beside the first, five a day are new; a failure holds up no other', async (t) => {
  const wanted = Array.from({ length: 9 }, (_, n): CertificateNames => [`${n}.test`]);
  const { clock, known, renew } = start(
    wanted,
    async ([name]) => {
      if (name === '1.test') throw new Error('refused');
      return pair;
    },
    ['http-01'],
  );
  await renew();
  t.same([...known.keys()], ['0.test', '2.test', '3.test', '4.test', '5.test']);
  await renew();
  await renew();
  t.equal(known.size, 6, 'the failure does not count to the day');
  clock.at += DAY + 1;
  await renew();
  t.equal(known.size, 8);
  clock.at += 61 * DAY;
  await renew();
  t.same([...known.values()].filter(({ validFrom }) => validFrom === clock.at).length, 8, 'renewals are not counted');
});

t.test('of names beside the first, an authority that was away for an hour holds up none for longer', async (t) => {
  let isAway = true;
  const obtain = async () => {
    if (isAway) throw new AuthorityUnreachable('away');
    return pair;
  };
  const { clock, known, renew } = start([['a.test'], ['b.test']], obtain, ['http-01']);
  for (; clock.at < NOW + HOUR; clock.at += MINUTE) await renew();
  isAway = false;
  clock.at += 5 * MINUTE;
  await renew();
  t.same([...known.keys()], ['a.test', 'b.test']);
});

t.test('what is due as it is issued, by a clock that is far off, is ordered once a day', async (t) => {
  const asked: number[] = [];
  const obtain = async () => {
    asked.push(clock.at - NOW);
    return pair;
  };
  const { clock, warned, renew } = start([['a.test']], obtain, ['http-01'], -70 * DAY);
  for (; clock.at < NOW + 3 * DAY; clock.at += HOUR) await renew();
  t.same(asked, [0, DAY, 2 * DAY]);
  t.match(warned[0], {
    names: ['a.test'],
    now: '2026-01-01T00:00:00.000Z',
    next_attempt_at: '2026-01-02T00:00:00.000Z',
  });
});

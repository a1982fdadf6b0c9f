import t from 'tap';
import { createPool } from '../../../src/budget/budget-pool.ts';
import { fitConnections } from '../../../src/budget/descriptors.ts';
import type { Refusal } from '../../../src/budget/quota-subject.ts';
import { createRefusalLog } from '../../../src/budget/refusal-log.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { makeBudget } from '../../harness/budget.ts';

t.test('a pool charges each party, and gives back once', (t) => {
  const refused: Refusal[] = [];
  const pool = createPool({
    resource: 'bytes',
    capacity: 100,
    shares: { workspace: 60, key: 40 },
    onRefused: (refusal) => refused.push(refusal),
  });
  const one = pool.open({ workspace: 'w', key: 'a' });
  t.equal(one.grow(40), null);
  t.equal(one.grow(1), 'key');
  const two = pool.open({ workspace: 'w', key: 'b' });
  t.equal(two.grow(20), null);
  t.equal(two.grow(1), 'workspace');
  const exempt = pool.open({ workspace: 'w', key: 'c', isExempt: true });
  t.equal(exempt.grow(40), null);
  t.equal(exempt.grow(1), 'all');
  t.equal(pool.wouldExceed({ workspace: 'x' }, 1), 'all');
  t.equal(pool.used, 100);
  one.release();
  one.release();
  t.equal(pool.used, 60);
  t.equal(one.grow(1), 'all', 'a lease that is over takes no more');
  t.equal(two.grow(20), null);
  t.match(refused[0], { resource: 'bytes', limit: 'key', asked: 1, used: 40, most: 40 });
  t.end();
});

t.test('a full share is made room in by its own party alone, a full pool by any', (t) => {
  const gone: string[] = [];
  const pool = createPool({ resource: 'places', capacity: 3, shares: { network: 2 }, onRefused: () => undefined });
  const hold = (network: string, name: string, rank: number | null) => {
    const lease = pool.open({ network }, { evictionRank: () => rank, evict: () => void gone.push(name) });
    return lease.grow(1);
  };
  hold('a', 'a1', 1);
  hold('b', 'b1', 9);
  hold('a', 'a2', null);
  t.equal(hold('a', 'a3', 5), null);
  t.same(gone, ['a1'], 'though another would yield sooner');
  t.equal(hold('c', 'c1', null), null);
  t.same(gone, ['a1', 'b1']);
  t.equal(hold('d', 'd1', null), null);
  t.same(gone, ['a1', 'b1', 'a3']);
  t.equal(hold('e', 'e1', null), 'all', 'none of these yields');
  t.end();
});

t.test('refusals are told once a minute for each party, with their number', (t) => {
  const clock = { at: 0, now: () => clock.at };
  const lines: Record<string, unknown>[] = [];
  const tell = createRefusalLog({ warn: (fields) => void lines.push({ ...fields }) }, clock);
  const refuse = (network: string) =>
    tell({ resource: 'things', quotaSubject: { network }, limit: 'network', asked: 1, used: 2, most: 2 });
  for (let count = 0; count < 10; count++) refuse('192.0.2.1');
  refuse('192.0.2.2');
  t.match(lines, [
    { network: '192.0.2.1', times: 1 },
    { network: '192.0.2.2', times: 1 },
  ]);
  clock.at += 60_000;
  refuse('192.0.2.1');
  t.match(lines.at(-1), { network: '192.0.2.1', times: 10 });
  for (let network = 0; network < 1_000; network++) refuse(`10.0.${network >> 8}.${network & 255}`);
  t.equal(lines.length, 32, 'and in all so many');
  clock.at += 60_000;
  refuse('192.0.2.3');
  t.match(lines.at(-1), { network: '192.0.2.3', left_out: 971 });
  t.end();
});

t.test('connections fit the descriptors', (t) => {
  const wanted = { smtp: 900, http: 1_000 };
  t.same(fitConnections(wanted, 65_536, 256), wanted);
  t.same(fitConnections(wanted, null, 256), wanted);
  const few = fitConnections(wanted, 1_024, 256);
  t.equal(few.smtp + few.http, 768);
  t.ok(few.smtp > 300 && few.http > 300);
  t.same(fitConnections(wanted, 100, 256), { smtp: 1, http: 1 });
  t.end();
});

t.test(
  'messages and bodies under way are each an eighth of the memory at most, and never less than the largest',
  (t) => {
    const MiB = 1024 ** 2;
    const others = { isExempt: true };
    const fits = (memory: number, [messages, bodies]: readonly [number, number]) => {
      const { budget } = makeBudget('', systemClock, '', memory * MiB);
      for (const [pool, most] of [[budget.messageBytes, messages] as const, [budget.bodyBytes, bodies] as const]) {
        t.equal(pool.wouldExceed(others, most * MiB), null, `${most} MiB of ${memory}`);
        t.equal(pool.wouldExceed(others, most * MiB + 1), 'all');
      }
    };
    fits(16_384, [256, 128]);
    fits(1_024, [128, 128]);
    fits(800, [100, 100]);
    fits(64, [32, 40]);
    t.end();
  },
);

import t from 'tap';
import { MINUTE, SECOND } from '../../../../src/kernel/clock.ts';
import { DestinationLimits, readSignal } from '../../../../src/outbound/queue/destination-limits.ts';

const HOST = 'mx.remote.test';

const limitsAt = () => {
  let now = 1_000_000;
  const limits = new DestinationLimits({ now: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  /** Begins sessions until one has to wait; each ends when its function is called. */
  const fill = async () => {
    const ends: (() => void)[] = [];
    let held = 0;
    const sessions = Array.from({ length: 8 }, () =>
      limits.withSession(HOST, async () => {
        held += 1;
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.push(() => {
          held -= 1;
          resolve();
        });
        await promise;
      }),
    );
    await new Promise(setImmediate);
    return { held: () => held, ends, all: Promise.all(sessions) };
  };
  /** How many sessions the host has at a time. */
  const sessions = async (): Promise<number> => {
    const { held, ends, all } = await fill();
    const most = held();
    for (let ended = 0; ended < 8; ended += 1) {
      ends[ended]?.();
      await new Promise(setImmediate);
      if (held() > most) return held();
    }
    await all;
    return most;
  };
  return { limits, pass, sessions, now: () => now };
};

t.test('what a reply says of a destination’s load', (t) => {
  t.equal(readSignal(250, '2.0.0'), 'accepted');
  t.equal(readSignal(550, '5.7.1'), 'rejected');
  t.equal(readSignal(451, '4.3.2'), 'rejected');
  t.equal(readSignal(450, '4.7.1'), 'throttled');
  t.equal(readSignal(421, '4.7.0'), 'closing');
  t.end();
});

t.test('five sessions; one for half an hour after a 4.7.x or 421; then five again', async (t) => {
  for (const sign of ['throttled', 'closing'] as const) {
    const { limits, pass, sessions } = limitsAt();
    t.equal(await sessions(), 5, 'at first');
    limits.record(HOST, sign);
    t.equal(await sessions(), 1, sign);
    pass(30 * MINUTE - 1);
    t.equal(await sessions(), 1, 'for half an hour');
    limits.record(HOST, 'accepted');
    t.equal(await sessions(), 1, 'a success is no leave to go on as before');
    pass(1);
    t.equal(await sessions(), 5, 'then as before');
  }
});

t.test('a throttled host gets a mail a second', async (t) => {
  const { limits, pass, now } = limitsAt();
  limits.record(HOST, 'throttled');
  t.ok(limits.isReady(HOST, now()));
  limits.begin(HOST);
  t.equal(limits.readyAt(HOST, now()), null, 'once the one in flight has ended');
  await limits.withSession(HOST, async () => undefined);
  limits.end(HOST);
  t.equal(limits.readyAt(HOST, now()), now() + SECOND);
  t.notOk(limits.isReady(HOST, now()));
  t.ok(limits.isBackedOff(HOST), 'nor is what was begun before');
  pass(SECOND);
  t.ok(limits.isReady(HOST, now()));
  t.notOk(limits.isBackedOff(HOST));
});

t.test('deliveries in flight are a few more than the sessions', (t) => {
  const { limits, now } = limitsAt();
  let begun = 0;
  while (limits.isReady(HOST, now()) && begun < 100) {
    limits.begin(HOST);
    begun += 1;
  }
  t.equal(begun, 20);
  limits.end(HOST);
  t.ok(limits.isReady(HOST, now()));
  t.end();
});

t.test('back-off doubles up to 15 minutes and ends with a reply', (t) => {
  const { limits, pass, now } = limitsAt();
  const pauseAfter = (sign: 'closing' | 'unreachable'): number => {
    limits.record(HOST, sign);
    const ms = limits.backedOffUntil(HOST) - now();
    t.notOk(limits.isReady(HOST, now()));
    t.ok(limits.isBackedOff(HOST));
    limits.record(HOST, sign);
    t.equal(limits.backedOffUntil(HOST) - now(), ms, 'concurrent failures are one');
    pass(ms);
    return ms / SECOND;
  };
  t.same(
    Array.from({ length: 9 }, () => pauseAfter('unreachable')),
    [5, 10, 20, 40, 80, 160, 320, 640, 900],
  );
  t.ok(limits.isReady(HOST, now()));
  limits.record(HOST, 'rejected');
  t.equal(pauseAfter('closing'), 5, 'a reply, whichever, says that it is there');
  limits.record(HOST, 'unreachable');
  limits.resetBackOff(HOST);
  t.ok(limits.isReady(HOST, now()), 'reset');
  t.equal(pauseAfter('unreachable'), 20, 'the failures still count');
  t.end();
});

t.test('what is deferred past a back-off is spaced', (t) => {
  const { limits, now } = limitsAt();
  limits.record(HOST, 'unreachable');
  const until = limits.backedOffUntil(HOST);
  const times = Array.from({ length: 1_000 }, () => limits.timeAfterBackOff(HOST) - until);
  t.ok(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)));
  t.ok((times.at(-1) ?? 0) >= 10 * SECOND, `${times.at(-1)}`);
  t.ok(until > now());
  limits.resetBackOff(HOST);
  limits.record(HOST, 'unreachable');
  t.equal(limits.timeAfterBackOff(HOST), limits.backedOffUntil(HOST), 'each back-off begins anew');
  t.end();
});

t.test('a TLS failure is remembered for an hour', (t) => {
  const { limits, pass } = limitsAt();
  t.notOk(limits.hasBrokenTls(HOST));
  limits.recordTlsFailure(HOST);
  pass(60 * MINUTE - 1);
  t.ok(limits.hasBrokenTls(HOST));
  pass(1);
  t.notOk(limits.hasBrokenTls(HOST));
  t.end();
});

t.test('hosts are evicted, the longest unused first, and never one with deliveries in flight', (t) => {
  const { limits } = limitsAt();
  limits.begin('busy.test');
  limits.record('old.test', 'unreachable');
  for (let number = 0; number < 10_000; number += 1) limits.record(`mx${number}.test`, 'accepted');
  t.equal(limits.inFlightWith('busy.test'), 1);
  t.equal(limits.backedOffUntil('old.test'), 0);
  t.end();
});

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

t.test('what a reply says of how a host wants to be treated', (t) => {
  t.equal(readSignal(250, '2.0.0'), 'taken');
  t.equal(readSignal(550, '5.7.1'), 'refused');
  t.equal(readSignal(451, '4.3.2'), 'refused');
  t.equal(readSignal(450, '4.7.1'), 'too-much');
  t.equal(readSignal(421, '4.7.0'), 'closing');
  t.end();
});

t.test('five sessions; one for half an hour after "too much"; then five again', async (t) => {
  for (const sign of ['too-much', 'closing'] as const) {
    const { limits, pass, sessions } = limitsAt();
    t.equal(await sessions(), 5, 'at first');
    limits.note(HOST, sign);
    t.equal(await sessions(), 1, sign);
    pass(30 * MINUTE - 1);
    t.equal(await sessions(), 1, 'for half an hour');
    limits.note(HOST, 'taken');
    t.equal(await sessions(), 1, 'a success is no leave to go on as before');
    pass(1);
    t.equal(await sessions(), 5, 'then as before');
  }
});

t.test('a slow host is given a mail a second', async (t) => {
  const { limits, pass, now } = limitsAt();
  limits.note(HOST, 'too-much');
  t.ok(limits.isReady(HOST, now()));
  limits.begin(HOST);
  t.equal(limits.nextTime(HOST, now()), null, 'once the one under way has ended');
  await limits.withSession(HOST, async () => undefined);
  limits.end(HOST);
  t.equal(limits.nextTime(HOST, now()), now() + SECOND);
  t.notOk(limits.isReady(HOST, now()));
  t.ok(limits.isBackedOff(HOST), 'nor is what was begun before');
  pass(SECOND);
  t.ok(limits.isReady(HOST, now()));
  t.notOk(limits.isBackedOff(HOST));
});

t.test('a host in order is begun with in no more than a few beyond its sessions', (t) => {
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

t.test('pauses double, up to a quarter of an hour, and end with a success', (t) => {
  const { limits, pass, now } = limitsAt();
  const pauseAfter = (sign: 'closing' | 'unreachable'): number => {
    limits.note(HOST, sign);
    const ms = limits.pausedUntil(HOST) - now();
    t.notOk(limits.isReady(HOST, now()));
    t.ok(limits.isBackedOff(HOST));
    limits.note(HOST, sign);
    t.equal(limits.pausedUntil(HOST) - now(), ms, 'what fails together is one failure');
    pass(ms);
    return ms / SECOND;
  };
  t.same(
    Array.from({ length: 9 }, () => pauseAfter('unreachable')),
    [5, 10, 20, 40, 80, 160, 320, 640, 900],
  );
  t.ok(limits.isReady(HOST, now()));
  limits.note(HOST, 'refused');
  t.equal(pauseAfter('closing'), 5, 'a reply, whichever, says that it is there');
  limits.note(HOST, 'unreachable');
  limits.resetBackOff(HOST);
  t.ok(limits.isReady(HOST, now()), 'forgiven');
  t.equal(pauseAfter('unreachable'), 20, 'but not forgotten');
  t.end();
});

t.test('what would not fit behind a pause comes back no faster than the host could take it', (t) => {
  const { limits, now } = limitsAt();
  limits.note(HOST, 'unreachable');
  const until = limits.pausedUntil(HOST);
  const times = Array.from({ length: 1_000 }, () => limits.timeAfterBackOff(HOST) - until);
  t.ok(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)));
  t.ok((times.at(-1) ?? 0) >= 10 * SECOND, `${times.at(-1)}`);
  t.ok(until > now());
  limits.resetBackOff(HOST);
  limits.note(HOST, 'unreachable');
  t.equal(limits.timeAfterBackOff(HOST), limits.pausedUntil(HOST), 'each pause begins anew');
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

t.test('hosts are forgotten, the longest unused first, and never one that is at work', (t) => {
  const { limits } = limitsAt();
  limits.begin('busy.test');
  limits.note('old.test', 'unreachable');
  for (let number = 0; number < 10_000; number += 1) limits.note(`mx${number}.test`, 'taken');
  t.equal(limits.inFlightWith('busy.test'), 1);
  t.equal(limits.pausedUntil('old.test'), 0);
  t.end();
});

import t from 'tap';
import type { DomainCheck } from '../../../../src/domains/check/check-domain.ts';
import { nextState } from '../../../../src/domains/check/domain-state.ts';
import { DAY } from '../../../../src/kernel/clock.ts';

const result = { hint: null, records: [] };
const whole: DomainCheck = { result, isComplete: true, isWorking: true, isConclusive: true };
const withoutNextKey: DomainCheck = { ...whole, isComplete: false };
const broken: DomainCheck = { ...withoutNextKey, isWorking: false };
const silent: DomainCheck = { ...broken, isConclusive: false };

const NOW = 100 * DAY;
const pending = { status: 'pending', failingSince: null, verifiedAt: null } as const;
const verified = { status: 'verified', failingSince: null, verifiedAt: 1 } as const;
const failing = { status: 'failing', failingSince: NOW - 3 * DAY, verifiedAt: 1 } as const;

t.test('a pending domain is verified once it is complete', async (t) => {
  t.match(nextState(pending, whole, NOW), { turn: 'verified', change: { status: 'verified', verifiedAt: NOW } });
  for (const check of [withoutNextKey, broken, silent]) {
    t.same(nextState(pending, check, NOW), { turn: null, change: { lastCheckedAt: NOW, checkResult: result } });
  }
});

t.test('a verified one turns failing after two days', async (t) => {
  t.match(nextState(verified, withoutNextKey, NOW), { turn: null, change: { status: 'verified', failingSince: null } });
  const first = nextState(verified, broken, NOW);
  t.match(first, { turn: null, change: { failingSince: NOW } });
  t.notOk('status' in first.change);
  const since = { ...verified, failingSince: NOW };
  t.match(nextState(since, broken, NOW + 2 * DAY - 1), { turn: null });
  t.match(nextState(since, broken, NOW + 2 * DAY), { turn: 'failing', change: { status: 'failing' } });
  t.match(nextState(since, silent, NOW + 9 * DAY), { turn: null }, 'where nothing answers, nothing is proved');
  t.match(nextState(since, whole, NOW + 9 * DAY), { turn: null, change: { status: 'verified', failingSince: null } });
});

t.test('a failing one comes back', async (t) => {
  t.match(nextState(failing, broken, NOW), { turn: null });
  t.match(nextState(failing, withoutNextKey, NOW), {
    turn: 'verified',
    change: { status: 'verified', failingSince: null },
  });
  t.notOk('verifiedAt' in nextState(failing, whole, NOW).change, 'it keeps the time of its first verification');
});

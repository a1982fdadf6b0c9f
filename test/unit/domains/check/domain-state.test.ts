import t from 'tap';
import type { DomainCheck } from '../../../../src/domains/check/check-domain.ts';
import { nextState } from '../../../../src/domains/check/domain-state.ts';
import { DAY } from '../../../../src/kernel/clock.ts';

const result = { hint: null, records: [] };
const whole: DomainCheck = {
  result,
  ...{ isComplete: true, isWorking: true, isConclusive: true },
  ...{ isSendComplete: true, isSendWorking: true, leadsHere: true },
};
const withoutNextKey: DomainCheck = { ...whole, isComplete: false, isSendComplete: false };
const broken: DomainCheck = { ...withoutNextKey, isWorking: false, isSendWorking: false };
const silent: DomainCheck = { ...broken, isConclusive: false };

const NOW = 100 * DAY;
const pending = { kind: 'custom', receives: true, status: 'pending', failingSince: null, verifiedAt: null } as const;
const verified = { kind: 'custom', receives: true, status: 'verified', failingSince: null, verifiedAt: 1 } as const;
const failing = {
  kind: 'custom',
  receives: true,
  status: 'failing',
  failingSince: NOW - 3 * DAY,
  verifiedAt: 1,
} as const;

t.test('a pending domain is verified once it is complete', async (t) => {
  t.match(nextState(pending, whole, NOW, false), { turn: 'verified', change: { status: 'verified', verifiedAt: NOW } });
  for (const check of [withoutNextKey, broken, silent]) {
    t.same(nextState(pending, check, NOW, false), { turn: null, change: { lastCheckedAt: NOW, checkResult: result } });
  }
});

t.test('a verified one turns failing after two days', async (t) => {
  t.match(nextState(verified, withoutNextKey, NOW, false), {
    turn: null,
    change: { status: 'verified', failingSince: null },
  });
  const first = nextState(verified, broken, NOW, false);
  t.match(first, { turn: null, change: { failingSince: NOW } });
  t.notOk('status' in first.change);
  const since = { ...verified, failingSince: NOW };
  t.match(nextState(since, broken, NOW + 2 * DAY - 1, false), { turn: null });
  t.match(nextState(since, broken, NOW + 2 * DAY, false), { turn: 'failing', change: { status: 'failing' } });
  t.match(nextState(since, silent, NOW + 9 * DAY, false), { turn: null }, 'where nothing answers, nothing is proved');
  t.match(nextState(since, whole, NOW + 9 * DAY, false), {
    turn: null,
    change: { status: 'verified', failingSince: null },
  });
});

t.test('a failing one comes back', async (t) => {
  t.match(nextState(failing, broken, NOW, false), { turn: null });
  t.match(nextState(failing, withoutNextKey, NOW, false), {
    turn: 'verified',
    change: { status: 'verified', failingSince: null },
  });
  t.notOk('verifiedAt' in nextState(failing, whole, NOW, false).change, 'it keeps the time of its first verification');
});

t.test('a custom domain whose MX is another server sends alone', async (t) => {
  const elsewhere: DomainCheck = { ...whole, isComplete: false, isWorking: false, leadsHere: false };
  const sending = { ...verified, receives: false };
  t.match(nextState(pending, elsewhere, NOW, false), {
    turn: 'verified',
    change: { status: 'verified', verifiedAt: NOW, receives: false },
  });
  t.match(nextState({ ...pending, kind: 'subdomain' }, elsewhere, NOW, true), { turn: null });
  const lacksDmarc = { ...elsewhere, leadsHere: true };
  t.match(nextState(pending, lacksDmarc, NOW, true), { turn: null }, 'what comes here needs all of it');
  t.match(nextState(sending, elsewhere, NOW, false), { turn: null, change: { status: 'verified', receives: false } });
  t.match(nextState(sending, whole, NOW, false), { turn: 'verified', change: { receives: true } });
  t.match(nextState(verified, elsewhere, NOW, false), { turn: null, change: { failingSince: NOW } }, 'by mistake');
  t.match(nextState(verified, elsewhere, NOW, true), { turn: null, change: { status: 'verified', receives: false } });
  t.match(nextState(failing, elsewhere, NOW, false), { turn: null });
  t.match(nextState(failing, elsewhere, NOW, true), { turn: 'verified', change: { receives: false } });
});

import t from 'tap';
import type { Struck } from '../../../scripts/torture/blows.ts';
import { type Found, judge } from '../../../scripts/torture/judge.ts';
import { createLedger, type Entry, type Work } from '../../../scripts/torture/ledger.ts';

const found: Found = { stored: [], receivedIds: [], heardIds: new Set(), blows: [] };

/** A ledger with one entry, and its name. */
const ledgerWith = (work: Work, more: Partial<Entry>) => {
  const ledger = createLedger();
  const name = ledger.begin(work);
  Object.assign(ledger.entry(name) ?? {}, { tries: 1, isAcknowledged: true, ...more });
  return { ledger, name };
};

t.test('what was acknowledged and is not there is lost', async (t) => {
  const { ledger, name } = ledgerWith('in', {});
  t.match(judge(ledger, found), { isGood: false, sums: { in: { lost: [name] } } });
  t.match(judge(ledger, { ...found, stored: [name] }), { isGood: true, sums: { in: { acknowledged: 1, lost: [] } } });
  const sent = ledgerWith('out', {});
  const stored = [sent.name];
  t.match(judge(sent.ledger, { ...found, stored }), { sums: { out: { lost: [sent.name] } } }, 'stored, and not sent');
});

t.test('a mail that was handed in twice may be there twice, one that was handed in once may not', async (t) => {
  for (const [tries, isGood] of [
    [2, true],
    [1, false],
  ] as const) {
    const { ledger, name } = ledgerWith('in', { tries });
    t.equal(judge(ledger, { ...found, stored: [name, name] }).isGood, isGood, `${tries}`);
  }
  const { ledger, name } = ledgerWith('out', { tries: 2, arrivals: [1] });
  t.notOk(judge(ledger, { ...found, stored: [name, name] }).isGood, 'a send is kept once, by its key');
});

t.test('a second copy goes out only where a blow parts the first from the row that says so', async (t) => {
  const { ledger, name } = ledgerWith('booked', { arrivals: [50_000, 80_000] });
  const verdictOf = (blow: Struck['blow'], from: number, to: number) =>
    judge(ledger, { ...found, stored: [name], blows: [{ blow, from, to }] });
  for (const [blow, from, to] of [
    ['cut', 50_000, 50_000],
    ['kill', 50_900, 53_000],
    ['disk', 48_000, 50_001],
  ] as const)
    t.match(verdictOf(blow, from, to), { isGood: true, sums: { booked: { doubled: 1 } } }, `${blow} ${from}`);
  for (const [blow, from, to] of [
    ['kill', 45_000, 49_900],
    ['cut', 60_000, 60_000],
    ['cut', 79_999, 79_999],
    ['clock', 50_000, 50_000],
  ] as const)
    t.match(verdictOf(blow, from, to).sums.booked, { wronglyDoubled: [name] }, `${blow} ${from}`);
});

t.test('an event that no webhook told of is named', async (t) => {
  const receivedIds = ['a', 'b'];
  t.match(judge(createLedger(), { ...found, receivedIds, heardIds: new Set(['a']) }), {
    isGood: false,
    unheard: ['b'],
  });
});

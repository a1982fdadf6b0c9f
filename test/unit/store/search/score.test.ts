import t from 'tap';
import { DAY } from '../../../../src/kernel/clock.ts';
import type { SearchTerm } from '../../../../src/store/search/full-text-search.ts';
import { createScorer, type ScoredText, toScore } from '../../../../src/store/search/score.ts';

const NOW = 1_700_000_000_000;
const term = (text: string, more: Partial<SearchTerm> = {}): SearchTerm => ({
  text,
  column: null,
  prefix: false,
  ...more,
});
const text = (more: Partial<ScoredText>): ScoredText => ({
  subject: '',
  sender: '',
  recipients: '',
  attachments: '',
  body: '',
  ...more,
});
/** In the order of their ranks, the best first. */
const ranked = (all: SearchTerm[][], texts: Record<string, [ScoredText, age?: number]>): string[] => {
  const score = createScorer(all);
  return Object.entries(texts)
    .map(([name, [of, age = 0]]) => ({ name, rank: score(of, NOW - age) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ name }) => name);
};

t.test('a field says more than the text, and the text more the oftener it has the word', async (t) => {
  const filler = 'so it goes '.repeat(100);
  t.same(
    ranked([[term('tea')]], {
      long: [text({ body: `tea ${filler}` })],
      once: [text({ body: 'tea for two' })],
      often: [text({ body: 'tea tea tea' })],
      sender: [text({ sender: 'Tea House' })],
      recipient: [text({ recipients: 'tea' })],
      subject: [text({ subject: 'Tea' })],
    }),
    ['subject', 'sender', 'often', 'once', 'recipient', 'long'],
  );
  t.same(
    ranked([[term('tea')], [term('two')]], {
      one: [text({ subject: 'Tea', body: 'two' })],
      both: [text({ subject: 'Tea for two' })],
      none: [text({ body: 'tea for two' })],
    }),
    ['both', 'one', 'none'],
  );
});

t.test('of a group the term that matches best counts; of a column none but its own', async (t) => {
  const texts: Parameters<typeof ranked>[1] = {
    subject: [text({ subject: 'brew' })],
    sender: [text({ sender: 'brew' })],
  };
  t.same(ranked([[term('tea'), term('brew')]], texts), ['subject', 'sender']);
  t.same(ranked([[term('brew', { column: 'sender' })]], texts), ['sender', 'subject']);
  t.same(ranked([[term('BRÉ', { prefix: true })]], { yes: [text({ subject: 'Bréwing' })], no: [text({})] }), [
    'yes',
    'no',
  ]);
});

t.test('what is newer comes first, unless the older says twice as much', async (t) => {
  const [plain, better] = [text({ body: 'tea' }), text({ subject: 'tea' })];
  t.same(ranked([[term('tea')]], { old: [plain, DAY], now: [plain] }), ['now', 'old']);
  t.same(ranked([[term('tea')]], { better: [better, 60 * DAY], now: [plain] }), ['better', 'now']);
  t.same(ranked([[term('tea')]], { better: [better, 600 * DAY], now: [plain] }), ['now', 'better']);
});

t.test('a score is positive, and higher where the rank is better', async (t) => {
  const score = createScorer([[term('tea')]]);
  const [now, old] = [0, 365 * DAY].map((age) => toScore(score(text({ body: 'tea' }), NOW - age), NOW));
  t.ok(now !== undefined && old !== undefined && now > old && old > 0, `${now} ${old}`);
});

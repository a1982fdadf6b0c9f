import t from 'tap';
import type { NeedView } from '../../../../src/resources/home/contract.ts';
import { toNeedWords } from '../../../../src/resources/owners/told/need-words.ts';

const since = '2026-11-24T12:00:00.000Z';
const rates = { bounce_rate: 0.0754, complaint_rate: 0.00361 };
const id = '01900000-0000-7000-8000-00000000abcd';

const NEEDS: readonly [NeedView, string, RegExp][] = [
  [{ kind: 'paused', reason: 'bounce_rate', since, ...rates }, 'paused', /Bounces reached 7\.5 %/],
  [{ kind: 'throttled', reason: 'complaint_rate', since, ...rates }, 'throttled', /Complaints reached 0\.36 %/],
  [{ kind: 'over_line', reason: 'bounce_rate', ...rates }, 'over_line', /next bad outcome/],
  [{ kind: 'unverified', owner_email: 'a@b.test', since }, 'unverified', /not verified/],
  [{ kind: 'domain', domain: 'a.test', domain_id: id, since, problems: [] }, `domain ${id}`, /name servers are wrong/],
  [
    {
      kind: 'webhook',
      webhook_id: id,
      url: 'https://hooks.test/secret-path?key=1',
      reason: 'failures',
      failure_count: 20,
      since,
    },
    `webhook ${id}`,
    /^hooks\.test: its events are held\.$/,
  ],
  [
    { kind: 'held', count: 2, agents: [{ agent: 'ann', count: 2 }], oldest_at: since, next_expiry_at: since },
    'held',
    /^ann 2$/,
  ],
];

t.test(
  'each need has a key of its own, words, and a path of the console; a webhook shows its host alone',
  async (t) => {
    for (const [need, key, body] of NEEDS) {
      const words = toNeedWords(need);
      t.equal(words.key, key);
      t.match(words.body, body);
      t.match(words.url, /^\/console\//);
      t.notMatch(JSON.stringify(words), /secret-path|key=1/);
    }
    t.equal(new Set(NEEDS.map(([need]) => toNeedWords(need).key)).size, NEEDS.length);
  },
);

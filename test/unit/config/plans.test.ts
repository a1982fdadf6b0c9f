import { readFileSync } from 'node:fs';
import t from 'tap';
import { ConfigError } from '../../../src/config/config-text.ts';
import { parsePlans } from '../../../src/config/plans.ts';

const whole = readFileSync(new URL('../../../config/plans.toml', import.meta.url), 'utf8');

const problemsOf = (toml: string) => {
  try {
    parsePlans(toml, 'plans.toml');
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
};

t.test('a key that is left out has no limit', async (t) => {
  const { named } = parsePlans(`${whole}\n[team]\n`, 'plans.toml');
  t.same(named.get('team'), { velocity_floor: Infinity, duplicate_recipients: Infinity });
});

t.test('problems are told by key and line', async (t) => {
  const wrong = whole.replace('sends_per_day = 50', 'sends_per_day = "many"\nsends_a_day = 1').replace('0.05', '5');
  t.match(problemsOf(wrong), [
    /^plans\.toml:4: free\.sends_per_day: should be a whole number, 0 or more$/,
    /^plans\.toml:5: free\.sends_a_day: no such key; \[free\] takes sends_per_day, /,
    /^plans\.toml:\d+: rates\.throttle_bounces: should be a share/,
  ]);
  t.match(problemsOf('[free]\nx ='), [/^plans\.toml:2: /], 'no TOML');
  t.match(problemsOf(whole.replace('[pro]', '[per]')), [/^plans\.toml: pro: is missing/]);
  t.match(problemsOf(whole.replace(/\[probation\][\s\S]*/, '')), [/probation: is missing; it should be a table/]);
});

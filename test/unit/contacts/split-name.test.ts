import t from 'tap';
import { splitName } from '../../../src/contacts/split-name.ts';

t.test('a whole name is told apart', async (t) => {
  const cases: [name: string, given: string | null, family: string | null][] = [
    ['Ann Lee', 'Ann', 'Lee'],
    ['  Ludwig  van Beethoven ', 'Ludwig van', 'Beethoven'],
    ['Lee, Ann', 'Ann', 'Lee'],
    ['van Beethoven, Ludwig', 'Ludwig', 'van Beethoven'],
    ['Prince', 'Prince', null],
    ['Lee,', 'Lee,', null],
    ['Doe, John, Jr.', 'Doe, John,', 'Jr.'],
    ['李 小龍', '李', '小龍'],
  ];
  for (const [name, givenName, familyName] of cases) t.same(splitName(name), { givenName, familyName }, name);
});

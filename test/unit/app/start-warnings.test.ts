import t from 'tap';
import { findConfigWarnings } from '../../../src/app/start-warnings.ts';
import { parseConfig } from '../../../src/config/config-text.ts';

const keysOf = (hostname: string, base: string, more = '') =>
  findConfigWarnings(parseConfig(`hostname = "${hostname}"\nbase_domain = "${base}"\n${more}`, '/x.toml')).map(
    ({ key }) => key,
  );

t.test('what is valid in a config and hardly meant', async (t) => {
  const names = ['mx.example.com', 'agents.example.com'] as const;
  t.same(keysOf(...names), []);
  t.same(keysOf('mx.postroom.localhost', 'agents.localhost'), []);
  t.same(keysOf('mx', 'agents.example.com'), ['hostname']);
  t.same(keysOf('localhost', 'agents.example.com'), []);
  for (const base of ['co.uk', 'com', 'github.io']) t.same(keysOf('mx.example.com', base), ['base_domain'], base);
  const listen = (address: string) => `[http]\nprivate_listen = "${address}"\n`;
  for (const open of ['0.0.0.0:8026', '[::]:8026', '8.8.8.8:8026']) {
    t.same(keysOf(...names, listen(open)), ['http.private_listen'], open);
  }
  for (const inner of ['127.0.0.1:8026', '10.0.0.2:8026', '[fd00::1]:8026', 'localhost:8026']) {
    t.same(keysOf(...names, listen(inner)), [], inner);
  }
});

t.test('a password that must be escaped is told as such', async (t) => {
  const problem = (smarthost: string) => {
    try {
      parseConfig(`hostname = "m.test"\nbase_domain = "a.test"\n[outbound]\nsmarthost = "${smarthost}"\n`, 'x');
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  t.equal(problem('smtp://u:p%23ss@smart.test:587'), null);
  for (const unescaped of ['p#ss', '12#3', '12?3', 'a/b', '1%zz', '12/3']) {
    t.match(problem(`smtp://u:${unescaped}@smart.test:587`), /smarthost: .*are written as %XX/, unescaped);
  }
});

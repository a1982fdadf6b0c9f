import t from 'tap';
import { createCircuitBreaker } from '../../../../src/knowledge/embeddings/circuit-breaker.ts';

t.test('opens after failures in a row, tries once after each pause, which doubles', (t) => {
  let now = 0;
  const changes: (string | null)[] = [];
  const breaker = createCircuitBreaker({
    ...{ now: () => now, failures: 3, pauseMs: 100, maxPauseMs: 300 },
    onChange: (reason) => changes.push(reason),
  });
  breaker.failed('a');
  breaker.failed('b');
  breaker.succeeded();
  breaker.failed('c');
  breaker.failed('d');
  t.ok(breaker.mayTry(), 'two in a row');
  breaker.failed('e');
  t.same(changes, ['e']);
  breaker.failed('f');
  now = 99;
  t.notOk(breaker.mayTry());
  now = 100;
  t.ok(breaker.mayTry(), 'one that was under way when it opened has not made the pause longer');
  t.notOk(breaker.mayTry(), 'one at a time');
  breaker.failed('g');
  now = 299;
  t.notOk(breaker.mayTry());
  now = 300;
  t.ok(breaker.mayTry());
  breaker.failed('h');
  now = 600;
  t.ok(breaker.mayTry(), 'no longer than the longest');
  breaker.succeeded();
  t.ok(breaker.mayTry() && breaker.mayTry());
  t.same(changes, ['e', null]);
  t.end();
});

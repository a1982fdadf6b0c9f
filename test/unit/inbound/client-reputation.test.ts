import t from 'tap';
import { type ConnectionFacts, scoreClient } from '../../../src/inbound/client-reputation.ts';

const good: ConnectionFacts = {
  ip: '192.0.2.1',
  helo: 'mail.remote.test',
  talkedEarly: false,
  reverse: { state: 'confirmed', name: 'mail.remote.test' },
  localNames: ['mx.box.test', 'agents.box.test'],
};

t.test('a well-configured mail host scores 0', (t) => {
  t.same(scoreClient(good), { score: 0, found: [] });
  t.same(scoreClient({ ...good, helo: '[192.0.2.1]' }), { score: 0, found: [] });
  t.same(scoreClient({ ...good, ip: '2001:db8::1', helo: '[IPv6:2001:DB8:0::1]' }), { score: 0, found: [] });
  t.same(scoreClient({ ...good, ip: '::ffff:192.0.2.1', helo: '[192.0.2.1]' }), { score: 0, found: [] });
  t.same(scoreClient({ ...good, reverse: { state: 'unknown', name: null } }).score, 0, 'what DNS does not say is none');
  t.end();
});

t.test('each finding', (t) => {
  const found = (facts: Partial<ConnectionFacts>) => scoreClient({ ...good, ...facts }).found;
  t.same(found({ talkedEarly: true }), ['early_talker']);
  for (const helo of ['localhost', '', 'a_b', '-', 'a..b', 'x'.repeat(300)]) {
    t.same(found({ helo }), ['helo_not_fqdn'], helo);
  }
  for (const helo of ['mx.box.test', 'MX.box.test', 'acme.agents.box.test', 'agents.box.test.']) {
    t.same(found({ helo }), ['helo_is_ours'], helo);
  }
  t.same(found({ helo: 'box.test' }), [], 'a parent of ours is not ours');
  for (const helo of ['[192.0.2.2]', '192.0.2.2', '[IPv6:2001:db8::1]', '2001:db8::1']) {
    t.same(found({ helo }), ['helo_other_address'], helo);
  }
  t.same(found({ helo: '192.0.2.1' }), ['helo_bare_address']);
  t.same(found({ reverse: { state: 'none', name: null } }), ['no_reverse_name']);
  t.same(found({ reverse: { state: 'unconfirmed', name: 'x.test' } }), ['reverse_name_unconfirmed']);
  t.same(scoreClient({ ...good, helo: 'localhost', talkedEarly: true }), {
    score: 4,
    found: ['early_talker', 'helo_not_fqdn'],
  });
  t.end();
});

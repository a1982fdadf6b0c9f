import t from 'tap';
import { parseConfig } from '../../../../src/kernel/config-text.ts';
import { createTraffic, type Visitor } from '../../../../src/transports/smtp/traffic.ts';

const open = (keys: string, trusted: string[] = []) => {
  const toml = `hostname = "mx.box.test"\nbase_domain = "agents.box.test"\n[smtp.limits]\n${keys}`;
  const { limits } = parseConfig(toml, '/postroom.toml').smtp;
  const clock = { at: 1_000_000, now: () => clock.at };
  const traffic = createTraffic(limits, trusted, clock);
  const gone: string[] = [];
  const visit = (remoteAddress: string, idleSince: number | null = null): Visitor => {
    const visitor = { remoteAddress, idleSince, giveWay: () => gone.push(remoteAddress) };
    traffic.admit(visitor);
    return visitor;
  };
  return { traffic, clock, gone, visit };
};

t.test('connections of one network, and the place one leaves', (t) => {
  const { traffic, visit } = open('connections_per_ip = 2', ['10.0.0.0/8']);
  const first = visit('192.0.2.1');
  visit('192.0.2.1');
  t.throws(() => visit('192.0.2.1'), { message: /^4\.7\.0 / });
  t.throws(() => visit('::ffff:192.0.2.1'), { message: /^4\./ }, 'the same host on a dual-stack listener');
  visit('192.0.2.2');
  traffic.leave(first);
  traffic.leave(first);
  visit('192.0.2.1');
  t.throws(() => visit('192.0.2.1'), { message: /^4\./ }, 'leaving twice frees one place');
  visit('2001:db8::1');
  visit('2001:db8::2');
  t.throws(() => visit('2001:db8:0:0:ffff::3'), { message: /^4\./ }, 'a /64 is one host');
  visit('2001:db8:0:1::3');
  for (let count = 0; count < 5; count++) visit('10.1.2.3');
  t.end();
});

t.test('where all places are taken, who has been idle longest makes room', (t) => {
  const { clock, gone, visit } = open('connections = 3\ngive_way_seconds = 10');
  visit('192.0.2.1', clock.at);
  visit('192.0.2.2', clock.at + 1_000);
  visit('192.0.2.3');
  t.throws(() => visit('192.0.2.4'), { message: /^4\.3\.2 / }, 'nobody has been idle long enough');
  clock.at += 10_000;
  visit('192.0.2.4');
  t.same(gone, ['192.0.2.1']);
  t.throws(() => visit('192.0.2.5'), { message: /^4\./ });
  clock.at += 1_000;
  visit('192.0.2.5');
  t.same(gone, ['192.0.2.1', '192.0.2.2'], 'one that is served never does');
  t.end();
});

t.test('messages and recipients a minute', (t) => {
  const { traffic, clock } = open('messages_per_minute_per_ip = 1\nrecipients_per_minute_per_ip = 2', ['127.0.0.0/8']);
  traffic.countMessage('192.0.2.1');
  t.throws(() => traffic.countMessage('192.0.2.1'), { message: /^4\.7\.1 / });
  traffic.countMessage('192.0.2.2');
  traffic.countRecipient('192.0.2.1');
  traffic.countRecipient('192.0.2.1');
  t.throws(() => traffic.countRecipient('192.0.2.1'), { message: /^4\.7\.1 / });
  clock.at += 60_000;
  traffic.countMessage('192.0.2.1');
  for (let count = 0; count < 5; count++) traffic.countMessage('127.0.0.1');
  t.end();
});

t.test('bytes under way', (t) => {
  const { traffic } = open('bytes_in_flight = 30000000');
  const one = traffic.reserve();
  const two = traffic.reserve();
  t.ok(one.grow(20_000_000));
  t.notOk(two.grow(20_000_000));
  t.ok(two.grow(10_000_000));
  t.notOk(traffic.hasRoom(1));
  one.release();
  one.release();
  t.ok(traffic.hasRoom(20_000_000), 'given back once');
  t.notOk(traffic.hasRoom(20_000_001));
  t.end();
});

t.test('who spoke before the greeting is known for an hour', (t) => {
  const { traffic, clock } = open('');
  t.notOk(traffic.isEarlyTalker('192.0.2.1'));
  traffic.noteEarlyTalker('192.0.2.1');
  t.ok(traffic.isEarlyTalker('192.0.2.1'));
  t.notOk(traffic.isEarlyTalker('192.0.2.2'));
  clock.at += 3_600_000;
  t.notOk(traffic.isEarlyTalker('192.0.2.1'));
  t.end();
});

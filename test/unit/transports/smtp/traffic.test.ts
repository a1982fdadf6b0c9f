import t from 'tap';
import { createTraffic, type Incoming, type Visitor } from '../../../../src/transports/smtp/traffic.ts';
import { makeBudget } from '../../../harness/budget.ts';

const open = (keys: string, trusted: string[] = [], smtp = '') => {
  const clock = { at: 1_000_000, now: () => clock.at };
  const { budget, limits, smtpLimits, warned } = makeBudget(keys, clock, smtp);
  const traffic = createTraffic(smtpLimits, trusted, { budget, giveWaySeconds: limits.give_way_seconds, clock });
  const gone: string[] = [];
  const visit = (remoteAddress: string, idleSince: number | null = null): Visitor => {
    const visitor = { remoteAddress, idleSince, evict: () => gone.push(remoteAddress) };
    traffic.authenticateRequest(visitor);
    return visitor;
  };
  const receive = (remoteAddress: string, received: number | null = 0) => {
    const message = { remoteAddress, received, evict: () => gone.push(remoteAddress) };
    return { message, memory: traffic.reserve(message as Incoming) };
  };
  return { traffic, clock, gone, visit, receive, warned };
};

t.test('connections of one network, and the place one leaves', (t) => {
  const { traffic, visit } = open('smtp_connections_per_network = 2', ['10.0.0.0/8']);
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
  const { clock, gone, visit } = open('smtp_connections = 3\ngive_way_seconds = 10');
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
  const { traffic, clock } = open(
    '',
    ['127.0.0.0/8'],
    'messages_per_minute_per_ip = 1\nrecipients_per_minute_per_ip = 2',
  );
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

t.test('bytes under way: a share for each network, and a bound for all', (t) => {
  const { traffic, receive, warned } = open('message_bytes = 90000000\nmessage_bytes_per_network = 30000000');
  const one = receive('192.0.2.1').memory;
  const two = receive('192.0.2.1').memory;
  t.equal(one.grow(20_000_000), null);
  t.match(two.grow(20_000_000), { message: /^4\.3\.1 .* your network/ });
  t.equal(two.grow(10_000_000), null);
  t.throws(() => traffic.requireRoom('192.0.2.1', 1), { message: /^4\.3\.1 / });
  traffic.requireRoom('192.0.2.2', 30_000_000);
  one.release();
  one.release();
  traffic.requireRoom('192.0.2.1', 20_000_000);
  t.throws(() => traffic.requireRoom('192.0.2.1', 20_000_001), { message: /^4\.3\.1 / }, 'given back once');
  t.match(warned[0], {
    message: 'turned away',
    fields: { resource: 'message bytes', network: '192.0.2.1', limit: 'network', asked: 20e6, used: 20e6, most: 30e6 },
  });
  t.equal(warned.length, 1, 'the same is told once a minute');
  t.end();
});

t.test('with all bytes taken, the slowest unfinished message gives way', (t) => {
  const { clock, gone, receive } = open(
    'message_bytes = 90000000\nmessage_bytes_per_network = 30000000\ngive_way_seconds = 10',
  );
  const [slow, slower, whole] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) => {
    const begun = receive(ip);
    t.equal(begun.memory.grow(30_000_000), null);
    return begun;
  });
  Object.assign(slow?.message ?? {}, { received: 20_000 });
  Object.assign(slower?.message ?? {}, { received: 10_000 });
  Object.assign(whole?.message ?? {}, { received: null });
  t.match(receive('192.0.2.4').memory.grow(1), { responseCode: 452 }, 'none is under way long enough');
  clock.at += 10_000;
  t.equal(receive('192.0.2.4').memory.grow(30_000_000), null);
  t.same(gone, ['192.0.2.2']);
  t.match(slower?.memory.grow(1), { responseCode: 452 }, 'what gave way takes no more');
  t.equal(receive('192.0.2.5').memory.grow(30_000_000), null);
  t.same(gone, ['192.0.2.2', '192.0.2.1']);
  t.match(receive('192.0.2.6').memory.grow(1), { responseCode: 452 }, 'one that is checked keeps its memory');
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

import t from 'tap';
import {
  type CountedConnection,
  createClientLimits,
  type IncomingMessage,
} from '../../../../src/transports/smtp/client-limits.ts';
import { makeBudget } from '../../../harness/budget.ts';

const open = (keys: string, trusted: string[] = [], smtp = '') => {
  const clock = { at: 1_000_000, now: () => clock.at };
  const { budget, limits, smtpLimits, warned } = makeBudget(keys, clock, smtp);
  const clientLimits = createClientLimits(smtpLimits, trusted, {
    budget,
    evictAfterSeconds: limits.give_way_seconds,
    clock,
  });
  const gone: string[] = [];
  const connect = (remoteAddress: string, idleSince: number | null = null, received?: number): CountedConnection => {
    const evict = () => gone.push(remoteAddress);
    const incoming = received === undefined ? null : { remoteAddress, since: clock.at, received, evict };
    const connection = { remoteAddress, idleSince, incoming, evict };
    clientLimits.openConnection(connection);
    return connection;
  };
  const receive = (remoteAddress: string, received: number | null = 0) => {
    const message = { remoteAddress, since: clock.at, received, evict: () => gone.push(remoteAddress) };
    return { message, memory: clientLimits.reserve(message as IncomingMessage) };
  };
  return { clientLimits, clock, gone, connect, receive, warned };
};

t.test('connections per network, and the release of one', (t) => {
  const { clientLimits, connect } = open('smtp_connections_per_network = 2', ['10.0.0.0/8']);
  const first = connect('192.0.2.1');
  connect('192.0.2.1');
  t.throws(() => connect('192.0.2.1'), { message: /^4\.7\.0 / });
  t.throws(() => connect('::ffff:192.0.2.1'), { message: /^4\./ }, 'the same host on a dual-stack listener');
  connect('192.0.2.2');
  clientLimits.closeConnection(first);
  clientLimits.closeConnection(first);
  connect('192.0.2.1');
  t.throws(() => connect('192.0.2.1'), { message: /^4\./ }, 'closing twice releases one');
  connect('2001:db8::1');
  connect('2001:db8::2');
  t.throws(() => connect('2001:db8:0:0:ffff::3'), { message: /^4\./ }, 'a /64 is one host');
  connect('2001:db8:0:1::3');
  for (let count = 0; count < 5; count++) connect('10.1.2.3');
  t.end();
});

t.test('at the connection limit the longest idle connection is evicted', (t) => {
  const { clock, gone, connect } = open('smtp_connections = 3\ngive_way_seconds = 10');
  connect('192.0.2.1', clock.at);
  connect('192.0.2.2', clock.at + 1_000);
  connect('192.0.2.3');
  t.throws(() => connect('192.0.2.4'), { message: /^4\.3\.2 / }, 'none has been idle long enough');
  clock.at += 10_000;
  connect('192.0.2.4');
  t.same(gone, ['192.0.2.1']);
  t.throws(() => connect('192.0.2.5'), { message: /^4\./ });
  clock.at += 1_000;
  connect('192.0.2.5');
  t.same(gone, ['192.0.2.1', '192.0.2.2'], 'one that is served is never evicted');
  t.end();
});

t.test('at the connection limit the slowest message is evicted where no connection is idle', (t) => {
  const { clock, gone, connect } = open(
    'smtp_connections = 3\nsmtp_connections_per_network = 2\ngive_way_seconds = 10',
  );
  connect('192.0.2.1', null, 1_000);
  connect('192.0.2.1', null, 2_000);
  connect('192.0.2.2', clock.at + 5_000);
  clock.at += 10_000;
  t.throws(() => connect('192.0.2.1'), { message: /^4\.7\.0 / }, 'a network that has its share loses none of it');
  connect('192.0.2.3');
  t.same(gone, ['192.0.2.1']);
  clock.at += 5_000;
  connect('192.0.2.4');
  t.same(gone, ['192.0.2.1', '192.0.2.2'], 'one that is idle goes before the other message');
  t.end();
});

t.test('messages and recipients a minute', (t) => {
  const { clientLimits, clock } = open(
    '',
    ['127.0.0.0/8'],
    'messages_per_minute_per_ip = 1\nrecipients_per_minute_per_ip = 2',
  );
  clientLimits.countMessage('192.0.2.1');
  t.throws(() => clientLimits.countMessage('192.0.2.1'), { message: /^4\.7\.1 / });
  clientLimits.countMessage('192.0.2.2');
  clientLimits.countRecipient('192.0.2.1');
  clientLimits.countRecipient('192.0.2.1');
  t.throws(() => clientLimits.countRecipient('192.0.2.1'), { message: /^4\.7\.1 / });
  clock.at += 60_000;
  clientLimits.countMessage('192.0.2.1');
  for (let count = 0; count < 5; count++) clientLimits.countMessage('127.0.0.1');
  t.end();
});

t.test('message memory: a share per network, and a total', (t) => {
  const { clientLimits, receive, warned } = open('message_bytes = 90000000\nmessage_bytes_per_network = 30000000');
  const one = receive('192.0.2.1').memory;
  const two = receive('192.0.2.1').memory;
  t.equal(one.grow(20_000_000), null);
  t.match(two.grow(20_000_000), { message: /^4\.3\.1 .* your network/ });
  t.equal(two.grow(10_000_000), null);
  t.throws(() => clientLimits.requireMemory('192.0.2.1', 1), { message: /^4\.3\.1 / });
  clientLimits.requireMemory('192.0.2.2', 30_000_000);
  one.release();
  one.release();
  clientLimits.requireMemory('192.0.2.1', 20_000_000);
  t.throws(() => clientLimits.requireMemory('192.0.2.1', 20_000_001), { message: /^4\.3\.1 / }, 'given back once');
  t.match(warned[0], {
    message: 'turned away',
    fields: { resource: 'message bytes', network: '192.0.2.1', limit: 'network', asked: 20e6, used: 20e6, most: 30e6 },
  });
  t.equal(warned.length, 1, 'the same is told once a minute');
  t.end();
});

t.test('at the memory limit the slowest incomplete message is evicted', (t) => {
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
  t.match(slower?.memory.grow(1), { responseCode: 452 }, 'an evicted message reserves no more');
  t.equal(receive('192.0.2.5').memory.grow(30_000_000), null);
  t.same(gone, ['192.0.2.2', '192.0.2.1']);
  t.match(receive('192.0.2.6').memory.grow(1), { responseCode: 452 }, 'one that is checked keeps its memory');
  t.end();
});

t.test('a network that has delivered is greeted at once for a day, until it talks early', (t) => {
  const { clientLimits, clock } = open('');
  t.notOk(clientLimits.isGreetedAtOnce('192.0.2.1'));
  clientLimits.noteDelivery('192.0.2.1');
  t.ok(clientLimits.isGreetedAtOnce('192.0.2.1'));
  t.notOk(clientLimits.isGreetedAtOnce('192.0.2.2'));
  clock.at -= 1;
  t.notOk(clientLimits.isGreetedAtOnce('192.0.2.1'), 'the clock was set back');
  clock.at += 86_400_001;
  t.notOk(clientLimits.isGreetedAtOnce('192.0.2.1'));
  clientLimits.noteDelivery('192.0.2.1');
  clientLimits.noteEarlyTalker('192.0.2.1');
  t.notOk(clientLimits.isGreetedAtOnce('192.0.2.1'));
  t.end();
});

t.test('an early talker is known for an hour', (t) => {
  const { clientLimits, clock } = open('');
  t.notOk(clientLimits.isEarlyTalker('192.0.2.1'));
  clientLimits.noteEarlyTalker('192.0.2.1');
  t.ok(clientLimits.isEarlyTalker('192.0.2.1'));
  t.notOk(clientLimits.isEarlyTalker('192.0.2.2'));
  clock.at += 3_600_000;
  t.notOk(clientLimits.isEarlyTalker('192.0.2.1'));
  t.end();
});

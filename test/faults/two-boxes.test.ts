/** Two daemons on one database: both serve, one leads, and the other does where that ends. */

import t from 'tap';
import { createClient } from '../../src/client/client.ts';
import { type Address, domainOf } from '../../src/kernel/address.ts';
import { setPlan } from '../../src/store/accounts/workspaces.ts';
import type { TestAgent } from '../harness/instance.ts';
import { queryOnce, startPostgres } from '../harness/postgres/postgres-server.ts';
import { joinBox } from '../harness/postgres/second-box.ts';
import { FAKETIME, spawnDaemon, startProcessBox } from '../harness/process.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';

const SENDS = 4;
/** So many that not all of them fall to one box by chance. */
const DOMAINS = Array.from({ length: 24 }, (_, number) => `d${number}.test`);

const leads = (daemon: { output(): string }) =>
  eventually(async () => daemon.output().includes('"msg":"this box leads"'));

/** The recipients' domains to which a box has sent, by its log. */
const sentBy = (daemon: { output(): string }): Set<string> => {
  const lines = daemon
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"mail delivered"'));
  return new Set(lines.map((line) => domainOf((JSON.parse(line) as { to: Address }).to)));
};

t.test('two boxes on one database', async (t) => {
  await using server = await startPostgres();
  await using first = await startProcessBox({ storageUrl: server.url });
  const { instance } = first;
  const { ann, bob } = instance.agents;
  for (const domain of DOMAINS) {
    instance.dns.zone.set(domain, 'MX', [{ exchange: `mx.${domain}`, priority: 10 }]);
    instance.dns.zone.set(`mx.${domain}`, 'A', ['127.0.0.1']);
  }
  const arrived = (subject: string) =>
    instance.receiver.messages.filter(({ raw }) => raw.includes(`Subject: ${subject}\r\n`)).length;
  /** One mail to each domain. */
  const sendToAll = async (subject: string): Promise<void> => {
    for (const domain of DOMAINS) {
      await instance.client(bob).messages.send({ to: [`x@${domain}`], subject, body: domain });
    }
  };
  const other = await joinBox(instance);
  // Leases of the first one end later by its clock.
  const clock = { LD_PRELOAD: FAKETIME, FAKETIME: '-2s', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const second = spawnDaemon(other.path, [], clock);
  t.teardown(() => second.end('SIGKILL'));
  await second.ready;
  t.match(second.output(), /"msg":"ready"/, 'both serve');
  const origins = [instance.baseUrl, `http://127.0.0.1:${other.http}`];

  await t.test('what one box takes, the other knows: mail that is waited for, sends, repeated requests', async (t) => {
    const onFirst = instance.client(ann);
    const at = ({ key }: { key: string }) =>
      createClient({ baseUrl: `http://127.0.0.1:${other.http}`, apiKey: key, retries: 0 });

    const waiting = onFirst.messages.waitForEmail({ timeout: 30 });
    await sendMail(other.smtp, { to: [ann.address], headers: { Subject: 'To the second' } });
    t.match(await waiting, { message: { subject: 'To the second' } }, 'a wait on the one, mail on the other');

    const took: number[] = [];
    for (let n = 0; n < SENDS; n += 1) {
      const began = performance.now();
      await at(bob).messages.send({ to: ['carol@remote.test'], subject: 'Through the second', body: 'Text' });
      await eventually(async () => instance.receiver.messages.length > n);
      took.push(performance.now() - began);
    }
    // Its next look is five seconds after the one that has sent the mail before. A loaded machine is slow now and then.
    t.ok(Math.min(...took.slice(1)) < 4_000, 'the box that leads sends it at once, before its next look');

    const body = JSON.stringify({ to: ['dora@remote.test'], subject: 'Once', body: 'Text' });
    const headers = {
      authorization: `Bearer ${bob.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'one',
    };
    const both = [instance.baseUrl, `http://127.0.0.1:${other.http}`];
    const replies = await Promise.all(
      both.flatMap((origin) =>
        [1, 2, 3].map(() => fetch(new URL('/v1/messages', origin), { method: 'POST', headers, body })),
      ),
    );
    t.same(new Set(replies.map(({ status }) => status)).size <= 2, true);
    t.ok(
      replies.every(({ status }) => status === 200 || status === 409),
      'done, repeated, or in flight',
    );
    await eventually(async () => instance.receiver.messages.length > SENDS);
    t.equal((await at(bob).messages.list({})).messages.filter(({ subject }) => subject === 'Once').length, 1, 'once');
  });

  await t.test('requests of a key are counted over both, with clocks that differ', async (t) => {
    const { key } = await instance.addAgent('often');
    const call = async (number: number): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(new URL('/v1/threads?limit=1', origins[number % 2]), { headers })).status;
    };
    const statuses: number[] = [];
    for (let from = 0; from < 320; from += 20) {
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, at) => call(from + at)))));
    }
    t.same(
      [200, 429].map((status) => statuses.filter((each) => each === status).length),
      [300, 20],
    );
  });

  await t.test('sends of a day are counted over both: exactly the fifty of the plan pass', async (t) => {
    const metered = await instance.addWorkspace('Metered', true);
    await instance.inStore((store) => store.write((tx) => setPlan(tx, metered.id, 'free', null)));
    const send = async ({ key }: TestAgent, number: number): Promise<number> => {
      const body = `Text ${[...String(number)].map((digit) => 'klmnopqrst'.charAt(Number(digit))).join('')}`;
      const response = await fetch(new URL('/v1/messages', origins[number % 2]), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: ['carol@remote.test'], subject: 'Metered', body }),
      });
      return response.status;
    };
    const statuses: Promise<number>[] = [];
    for (let agents = 0; agents < 8; agents += 1) {
      const agent = await instance.addAgent(`metered-${agents}`, metered);
      for (let sends = 0; sends < 10; sends += 1) statuses.push(send(agent, statuses.length));
    }
    t.same((await Promise.all(statuses)).toSorted(), [...Array(50).fill(200), ...Array(30).fill(422)]);
  });

  await t.test('each destination is sent to by one of the boxes, and both send', async (t) => {
    for (const round of [1, 2]) await sendToAll(`To all ${round}`);
    await eventually(async () => [1, 2].every((round) => arrived(`To all ${round}`) === DOMAINS.length));
    const [byFirst, bySecond] = [sentBy(first.daemon), sentBy(second)].map((sent) =>
      DOMAINS.filter((domain) => sent.has(domain)),
    );
    t.same([...(byFirst ?? []), ...(bySecond ?? [])].sort(), [...DOMAINS].sort());
    t.ok(byFirst?.length && bySecond?.length, `${byFirst?.length} by the one, ${bySecond?.length} by the other`);
  });

  await t.test(
    'the box that leads is killed under load: the other, whose clock is 2 s behind, leads, and nothing acknowledged is lost',
    async (t) => {
      const acknowledged: string[] = [];
      let isOver = false;
      const insist = async (attempts: readonly (() => Promise<unknown>)[]): Promise<void> => {
        for (let at = 0; ; at += 1) {
          const isTaken = await attempts[at % attempts.length]?.().then(
            () => true,
            () => false,
          );
          if (isTaken) return;
        }
      };
      /** As a mail server tries the hosts of a domain, and a careful client both addresses with the same key. */
      const load = async (lane: number): Promise<void> => {
        for (let count = 0; !isOver; count += 1) {
          const subject = `Mail ${lane} ${count}`;
          const mail = { to: [ann.address], headers: { Subject: subject } };
          const body = JSON.stringify({
            to: [`r${lane}-${count}@${DOMAINS[count % DOMAINS.length]}`],
            subject,
            body: subject,
          });
          const headers = {
            authorization: `Bearer ${bob.key}`,
            'content-type': 'application/json',
            'idempotency-key': subject,
          };
          const send = async (origin: string) => {
            const reply = await fetch(new URL('/v1/messages', origin), { method: 'POST', headers, body });
            if (!reply.ok) throw new Error(`${reply.status}`);
          };
          await insist(
            lane % 2 === 0
              ? [instance.smtpPort, other.smtp].map((port) => () => sendMail(port, mail))
              : [instance.baseUrl, `http://127.0.0.1:${other.http}`].map((origin) => () => send(origin)),
          );
          acknowledged.push(subject);
        }
      };
      const lanes = Array.from({ length: 4 }, (_, lane) => load(lane));
      await eventually(async () => acknowledged.length > 40);
      await first.daemon.end('SIGKILL');
      await leads(second);
      const before = acknowledged.length;
      await eventually(async () => acknowledged.length > before + 20);
      isOver = true;
      await Promise.all(lanes);

      const stored = await instance.inStore(({ read }) =>
        read.selectFrom('messages').select(['subject', 'direction']).where('subject', 'like', 'Mail %').execute(),
      );
      const kept = new Set(stored.map(({ subject }) => subject));
      t.same(
        acknowledged.filter((subject) => !kept.has(subject)),
        [],
        `${acknowledged.length} acknowledged are there`,
      );
      const told = (await instance.events()).filter(
        ({ name, data }) => name === 'message.received' && String(data.subject).startsWith('Mail '),
      );
      t.equal(told.length, stored.filter(({ direction }) => direction === 'in').length, 'each mail has one event');
      const sent = acknowledged.filter((subject) => /^Mail [13] /.test(subject));
      await eventually(async () => sent.every((subject) => arrived(subject) > 0));
      t.pass(`${sent.length} were delivered`);
    },
  );

  const killed = spawnDaemon(instance.configPath);
  t.teardown(() => killed.end('SIGKILL'));
  await killed.ready;
  await t.test('a box that does not lead is killed while it sends: the other sends what it had', async (t) => {
    await eventually(async () => {
      await sendToAll('While both send');
      // A key has 300 requests a minute.
      const hasSent = async () => sentBy(killed).size > 0;
      return eventually(hasSent, 5_000).catch(() => false);
    });
    await sendToAll('Where one ends');
    await killed.end('SIGKILL');
    await eventually(async () => arrived('Where one ends') >= DOMAINS.length);
    t.ok(arrived('Where one ends') <= DOMAINS.length + sentBy(killed).size, 'twice what was being sent alone');
  });

  const again = spawnDaemon(instance.configPath);
  t.teardown(() => again.end('SIGKILL'));
  await again.ready;
  t.pass('the first serves beside it now');

  await t.test('a box that loses its lock to the other ends, and writes nothing more', async (t) => {
    // As a machine is cut off: the server ends what it has of it, and it does not hear of that.
    process.kill(second.pid, 'SIGSTOP');
    await queryOnce(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and pid in (select pid from pg_locks where locktype = 'advisory')`,
    );
    await leads(again);
    process.kill(second.pid, 'SIGCONT');
    const { code } = await second.ended;
    t.equal(code, 1);
    t.match(second.output(), /Another daemon has taken over the database/);
    t.ok(await sendMail(instance.smtpPort, { to: [ann.address] }), 'the other serves');
  });

  const back = spawnDaemon(other.path);
  t.teardown(() => back.end('SIGKILL'));
  await back.ready;
  await t.test('where the database restarts, the box that led leads on', async (t) => {
    await server.crash();
    await server.start();
    const client = createClient({ baseUrl: `http://127.0.0.1:${other.http}`, apiKey: bob.key, retries: 0 });
    const mail = { to: ['carol@remote.test'], subject: 'After the restart', body: 'Text' };
    await eventually(() =>
      client.messages.send(mail).then(
        () => true,
        () => false,
      ),
    );
    await eventually(async () => instance.receiver.messages.some(({ raw }) => raw.includes('After the restart')));
    t.notMatch(back.output(), '"msg":"this box leads"');
  });
  await t.test('what a newer version writes when it leads', async (t) => {
    await queryOnce(server, "insert into migrations (name, applied_at, additive) values ('9998-later', 0, 1)");
    const onBack = createClient({ baseUrl: `http://127.0.0.1:${other.http}`, apiKey: bob.key, retries: 0 });
    t.match(await onBack.messages.list({}), { messages: { 0: {} } }, 'an addition disturbs no older box');
    await queryOnce(server, "insert into migrations (name, applied_at, additive) values ('9999-later', 0, 0)");
    t.equal((await back.ended).code, 1);
    t.match(back.output(), /written by a newer version \(it has 9999-later\)/, 'another change ends it');
  });
  t.equal((await again.end('SIGTERM')).code, 0, 'a box ends when it is asked to');
});

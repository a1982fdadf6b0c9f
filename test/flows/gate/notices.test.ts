/** Mail of the instance to owners: nothing that an outsider sends keeps it back, and the end of the process loses none. */

import t from 'tap';
import type { Address } from '../../../src/kernel/address.ts';
import { idFromBytes } from '../../../src/kernel/ids.ts';
import { ROLE_MAIL_PER_DAY } from '../../../src/notices/role-mail.ts';
import { insertSuppression } from '../../../src/store/sending/suppressions.ts';
import { cliJson } from '../../harness/cli.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

const subjectsTo = (instance: TestInstance, address: string): string[] =>
  instance.receiver.messages
    .filter(({ rcptTo }) => rcptTo.includes(address))
    .map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '');

const roleMail = (instance: TestInstance, n: number) =>
  sendMail(instance.smtpPort, {
    from: 'x@evil.test',
    to: ['postmaster@acme.agents.box.test'],
    headers: { From: 'x@evil.test', Subject: `Flood ${n}` },
  });

t.test(
  'a flood to postmaster leaves the notice of a held mail alone, and comes as a hundred and one digest',
  async (t) => {
    const noon = Date.UTC(2026, 10, 20, 12);
    const started = Date.now();
    const clock = { ahead: noon - started, now: () => Date.now() + clock.ahead };
    await using instance = await startInstance({ runtime: { clock } });
    for (let n = 0; n < ROLE_MAIL_PER_DAY + 20; n += 1) t.match(await roleMail(instance, n), /^250/);
    await cliJson(instance.configPath, 'agents', 'hold', 'ann');
    const held = await instance
      .client(instance.agents.ann)
      .messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
    t.equal(held.status, 'held');
    await eventually(async () =>
      subjectsTo(instance, 'owner@remote.test').some((subject) => /waits for/.test(subject)),
    );
    await eventually(async () => subjectsTo(instance, 'owner@remote.test').length === ROLE_MAIL_PER_DAY + 1);

    clock.ahead += DAY;
    await instance.daemon.jobs.runAll();
    const digest = await eventually(async () =>
      instance.receiver.messages.find(({ raw }) =>
        /^Subject: Mail to postmaster and abuse on 2026-11-20/m.test(raw.toString()),
      ),
    );
    t.match(digest.raw.toString().replaceAll('=\r\n', ''), /120 mails came to postmaster/);
    t.match(digest.raw.toString(), /Flood 1(0|1)\d/);
    t.equal(subjectsTo(instance, 'owner@remote.test').length, ROLE_MAIL_PER_DAY + 2, 'one digest');
    t.same(instance.faults, []);
  },
);

t.test('a notice that was written goes out after a restart, once', async (t) => {
  let isDown = true;
  await using instance = await startInstance({
    receiver: { onRcpt: () => (isDown ? { code: 451, text: '4.3.0 Not now' } : undefined) },
  });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await cliJson(instance.configPath, 'owners', 'add', 'late@remote.test', '--workspace', 'acme');
  await instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  // As the process leaves it that ends right after the commit.
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const pending = await tx.db.selectFrom('pending_sends').select('id').executeTakeFirstOrThrow();
      const hex = Buffer.from(pending.id).toString('hex');
      const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      await tx.db
        .insertInto('notices')
        .values({
          id: Buffer.alloc(16, 7),
          kind: 'held',
          owner_email: 'late@remote.test',
          data: JSON.stringify({ pendingId: id }),
          due_at: 0,
          created_at: Date.now(),
        })
        .execute();
    }),
  );
  isDown = false;
  await instance.restart();
  await eventually(async () => subjectsTo(instance, 'late@remote.test').length === 1);
  await instance.restart();
  await instance.daemon.jobs.runAll();
  const left = await instance.inStore((store) => store.read.selectFrom('notices').select('id').execute());
  t.same(left, []);
  t.equal(subjectsTo(instance, 'late@remote.test').length, 1);
});

t.test(
  'an owner whose mail host has called the address unknown is named in the log, and told a day later',
  async (t) => {
    let isWrong = true;
    const noUser = { code: 550, text: '5.1.1 No such user' };
    const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
    await using instance = await startInstance({
      runtime: { clock },
      receiver: { onRcpt: (to) => (isWrong && to.startsWith('owner') ? noUser : undefined) },
    });
    const ann = instance.client(instance.agents.ann);
    const visitor = createBrowser(instance.baseUrl);
    const askForLink = () => visitor.post('/console/sign-in', { email: 'owner@remote.test' });
    await cliJson(instance.configPath, 'agents', 'hold', 'ann');
    await ann.messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'One' });
    await eventually(async () => {
      const rows = await instance.inStore((store) => store.read.selectFrom('suppressions').select('address').execute());
      return rows.length === 1;
    });
    const bounced = instance.warned.find(({ message }) => message === 'mail to an owner bounced');
    t.match(bounced?.fields, { owner: ['owner@remote.test'], bounce_type: 'permanent' });
    isWrong = false;
    await ann.messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Two' });
    await askForLink();
    const told = await eventually(async () => instance.warned.find(({ message }) => /could not be told/.test(message)));
    t.match(told.fields, { notice: 'sign-in', owner: 'owner@remote.test', reason: /^recipient_suppressed/ });
    t.same(subjectsTo(instance, 'owner@remote.test'), [], 'a link that ends within the day is not mailed later');
    clock.ahead += DAY;
    await instance.daemon.jobs.runAll();
    await askForLink();
    const subjects = await eventually(async () => {
      const all = subjectsTo(instance, 'owner@remote.test');
      return all.length === 2 && all;
    });
    t.match(subjects.toSorted(), [/waits for/, /sign-in link/]);
  },
);

t.test('a suppression with an end, as a fault of the network leaves one, stops no notice', async (t) => {
  await using instance = await startInstance();
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const { id } = await tx.db
        .selectFrom('workspaces')
        .select('id')
        .where('slug', '=', '-postroom')
        .executeTakeFirstOrThrow();
      await insertSuppression(tx, idFromBytes(id), {
        address: 'owner@remote.test' as Address,
        reason: 'bounce',
        bounceType: 'transient',
        messageId: null,
        until: Date.now() + 86_400_000,
        createdAt: Date.now(),
      });
    }),
  );
  await instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  t.ok(await eventually(async () => subjectsTo(instance, 'owner@remote.test').length === 1));
});

t.test('what an owner refuses of the role mail does not suppress the notices', async (t) => {
  await using instance = await startInstance({
    receiver: {
      onData: async ({ raw }) =>
        /^Subject: Mail to/m.test(raw.toString()) ? { code: 550, text: '5.7.1 Spam message rejected' } : undefined,
    },
  });
  await roleMail(instance, 1);
  await eventually(async () => {
    const rows = await instance.inStore((store) => store.read.selectFrom('suppressions').select('address').execute());
    return rows.length === 1;
  });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  t.ok(
    await eventually(async () =>
      subjectsTo(instance, 'owner@remote.test').some((subject) => /waits for/.test(subject)),
    ),
  );
});

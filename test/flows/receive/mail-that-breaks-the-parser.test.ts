import t from 'tap';
import { systemRuntime } from '../../../src/app/instance.ts';
import { createEvents } from '../../../src/events/publish-events.ts';
import type { Arrival } from '../../../src/inbound/arrival.ts';
import { createReceive } from '../../../src/inbound/receive.ts';
import { createResolveRecipient } from '../../../src/inbound/resolve-recipient.ts';
import type { Address, DomainName } from '../../../src/kernel/address.ts';
import type { AgentCaller, OwnerCaller } from '../../../src/kernel/caller.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { HEADER_ONLY } from '../../../src/mail/mime/defects.ts';
import type { SendRequest } from '../../../src/outbound/gate/send-request.ts';
import { asReader } from '../../../src/resources/agent-mail/as-reader.ts';
import { createAgentMail } from '../../../src/resources/agent-mail/service.ts';
import { createHeldParts } from '../../../src/resources/held-mail/parts/service.ts';
import { createReading } from '../../../src/resources/messages/read/read-messages.ts';
import { createSending, type SendingNeeds } from '../../../src/resources/messages/send/send-messages.ts';
import { type Agent, findAgent } from '../../../src/store/accounts/agents.ts';
import { findRecipient } from '../../../src/store/accounts/recipient-lookup.ts';
import { PoolBusy } from '../../../src/workers/pool-busy.ts';
import type { Task } from '../../../src/workers/tasks.ts';
import { ThreadDied } from '../../../src/workers/thread-died.ts';
import { createWorkerPool, type WorkerPool } from '../../../src/workers/worker-pool.ts';
import { makeBudget } from '../../harness/budget.ts';
import { runCli } from '../../harness/cli.ts';
import { BASE_DOMAIN, HOSTNAME, startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

/** The worker threads, on which some tasks fail as they do when a thread dies under them. */
const brokenPool = (instance: TestInstance, breaks: (task: Task) => Error | null): WorkerPool => {
  const pool = createWorkerPool(
    { threads: 1, resolvers: [instance.dns.server] },
    { workerQueue: makeBudget().budget.workerQueue, onError: () => undefined },
  );
  return {
    run: async (task) => {
      const error = breaks(task as unknown as Task);
      if (error) throw error;
      return pool.run(task);
    },
    waiting: 0,
    busy: false,
    close: () => pool.close(),
  };
};

const died = new Error('worker exited with code: 1');

/** Takes a mail in with a pool of its own, beside the daemon. */
const receiveWith = async (instance: TestInstance, pool: WorkerPool, raw: string, onError: (error: unknown) => void) =>
  instance.inStore(async (store) => {
    const { clock, random } = systemRuntime;
    const receive = createReceive({
      store,
      events: createEvents(clock, random, onError),
      mailLog: { record: () => {} },
      workers: pool,
      clock,
      newId: createIdSource(clock, random),
      hostname: HOSTNAME,
      filterResponse: 'accept',
      maxReceivedFields: 50,
      ownersMailFrom: `noreply@${BASE_DOMAIN}` as Address,
      trustedArcSealers: new Set(),
      listedIn: null,
      scan: null,
      onRoleMail: async () => undefined,
      onReport: async () => undefined,
      onError,
    });
    const find = createResolveRecipient({
      db: store.read,
      clock,
      returnPathKey: Buffer.alloc(32),
      hostname: HOSTNAME,
      baseDomain: BASE_DOMAIN as DomainName,
      system: null,
      operatorMail: null,
      operatorAddress: null,
      hasRoom: async () => true,
    });
    const envelope: Arrival['envelope'] = {
      kind: 'smtp',
      mailFrom: 'carol@remote.test',
      soleRecipient: instance.agents.ann.address,
      ip: '127.0.0.1',
      helo: 'mail.remote.test',
      iprevName: null,
      protocol: 'ESMTP',
      tls: null,
      sessionId: 'abc',
      at: clock.now(),
    };
    const recipients = [await find(instance.agents.ann.address as Address)];
    await receive({ raw: Buffer.from(raw), recipients, envelope }).finally(() => pool.close());
  });

t.test('a mail that crashes the parser is stored with its header, marked and never parsed again', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  instance.dns.zone.set('remote.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const faults: unknown[] = [];
  const pool = brokenPool(instance, (task) => (task.kind === 'verify' && !task.headerOnly ? died : null));
  const raw = plainMail({ headers: { Subject: 'Poison', Cc: 'dave@remote.test' }, text: 'The aardvark.' });
  await receiveWith(instance, pool, raw, (error) => faults.push(error));
  t.same(faults, [died], 'it is logged');

  const [listed] = (await ann.messages.list({})).messages;
  t.match(listed, { subject: 'Poison', from: 'Carol <carol@remote.test>', cc: ['dave@remote.test'], attachments: [] });
  t.match(
    listed,
    { authentication: { spf: 'pass', dmarc: 'none' }, spam_verdict: 'PASS' },
    'it was checked all the same',
  );
  const id = listed?.id ?? '';
  const read = await ann.messages.get({ id });
  t.same(read.defects, [HEADER_ONLY]);
  t.equal(read.text, '');
  t.ok(read.headers.some(({ name, value }) => name === 'Subject' && value === 'Poison'));
  t.match(Buffer.from((await ann.messages.raw({ id })).content).toString(), /The aardvark/, 'its bytes are all there');
  t.equal((await ann.search.search({ q: 'poison' })).hits.length, 1);

  await ann.messages.forward({ id, to: ['erin@remote.test'], body: 'See below.' });
  const [sent] = await instance.receiver.waitFor(1);
  t.match(sent?.raw.toString(), /message\/rfc822/, 'it is forwarded whole: nothing of it can be quoted');
  t.same(instance.faults, []);
});

t.test('a mail that crashes authentication too is deferred', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const faults: unknown[] = [];
  const breaks = ({ kind }: Task) => (kind === 'verify' ? died : null);
  const poison = plainMail({ headers: { Subject: 'Poison' } });
  await t.rejects(
    receiveWith(instance, brokenPool(instance, breaks), poison, (error) => faults.push(error)),
    { responseCode: 451, message: /^4\.3\.0/ },
  );
  t.same(faults, [died, died], 'both attempts are logged');
  t.equal((await ann.messages.list({})).messages.length, 0, 'nothing is stored as if it had been checked');
  await receiveWith(
    instance,
    brokenPool(instance, () => null),
    poison,
    () => undefined,
  );
  t.equal((await ann.messages.list({})).messages.length, 1, 'the same mail, checked');
});

t.test('a full pool defers the mail', async (t) => {
  await using instance = await startInstance();
  const pool = brokenPool(instance, () => new PoolBusy());
  await t.rejects(
    receiveWith(instance, pool, plainMail({}), () => undefined),
    { message: /^4\.3\.0/ },
  );
  t.equal((await instance.client(instance.agents.ann).messages.list({})).messages.length, 0);
});

t.test('a mail that crashes its reader later is shown from the index, and marked then', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text: 'The aardvark.' });
  const [listed] = (await ann.messages.list({})).messages;
  const id = listed?.id ?? '';
  let attempts = 0;
  const pool = brokenPool(instance, (task) => {
    if (task.kind !== 'read' || task.headerOnly) return null;
    attempts += 1;
    return died;
  });
  await instance.inStore(async (store) => {
    const recipient = await findRecipient(store.read, instance.agents.ann.address as Address);
    const { handlers: reading } = createReading({ store, workers: pool, clock: systemClock });
    const caller = { mailboxId: recipient?.mailboxId, scopes: new Set() } as unknown as AgentCaller;
    const read = () =>
      reading.get(caller, { id: id as never, part: 'text', offset: 0, max_chars: undefined }, {} as never);
    for (const when of ['first', 'again']) {
      t.match(await read(), { text: /aardvark/, defects: [HEADER_ONLY], html: null }, when);
    }
  });
  await pool.close();
  t.equal(attempts, 1, 'it is not tried a second time');
  await eventually(async () => (await ann.messages.get({ id })).defects.includes(HEADER_ONLY));
});

t.test('a mail that ends the threads of the console is shown as text, and its parts are refused', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const html = { 'Content-Type': 'multipart/mixed; boundary=b', 'MIME-Version': '1.0' };
  const parts = ['text/html\r\n\r\n<p>The aardvark.</p>', 'text/x-a; name=a.bin\r\n\r\nbytes'];
  const text = `${parts.map((part) => `--b\r\nContent-Type: ${part}\r\n`).join('')}--b--`;
  await sendMail(instance.smtpPort, { to: [ann.address], headers: html, text });
  const client = instance.client(ann);
  const [{ id = '' } = {}] = (await client.messages.list({})).messages;
  await runCli(instance.configPath, 'agents', 'hold', 'ann');
  const held = await client.messages.send({ to: ['erin@remote.test'], subject: 'Hi', body: 'The *aardvark*.' });
  const pending_id = 'pendingId' in held ? (held.pendingId ?? '') : '';
  const tasks: string[] = [];
  const pool = brokenPool(instance, ({ kind }) => {
    tasks.push(kind);
    return /^(frame|split-reply|attachments|links)$/.test(kind) ? new ThreadDied('its loop stood still') : null;
  });
  const { clock } = systemRuntime;
  await instance.inStore(async (store) => {
    const needs = { store, workers: pool, clock };
    const { threads, search } = {} as Parameters<typeof createAgentMail>[0];
    const mail = createAgentMail({ ...needs, reading: createReading(needs, 'person'), threads, search });
    const owner: OwnerCaller = { kind: 'owner', workspaceId: instance.workspace.id, name: 'owner:o@remote.test' };
    const shown = () =>
      mail.message(
        owner,
        { agent: 'ann', id: id as never, part: 'text', offset: 0, max_chars: undefined, mark_read: false },
        {} as never,
      );
    const file = () => mail.attachment(owner, { agent: 'ann', id: id as never, filename: 'a.bin' }, {} as never);
    await t.rejects(file(), { code: 'message_unreadable', status: 422 });
    const folds = { own: /aardvark/, quoted: '', signature: '' };
    for (const when of ['first', 'again']) {
      t.match(await shown(), { html: null, defects: [HEADER_ONLY], folds, text: /aardvark/ }, when);
    }
    const framed = mail.html(owner, { agent: 'ann', id: id as never, remote: false }, {} as never);
    await t.rejects(framed, { code: 'message_unreadable' });
    t.equal(tasks.filter((kind) => kind === 'frame').length, 1, 'its HTML is not tried a second time');
    const raw = await mail.raw(owner, { agent: 'ann', id: id as never }, {} as never);
    t.match(Buffer.from(raw.content).toString(), /aardvark/);

    const ofHeld = createHeldParts(needs);
    await t.rejects(ofHeld.html(owner, { pending_id, remote: false }, {} as never), { code: 'message_unreadable' });
    await t.rejects(ofHeld.links(owner, { pending_id }, {} as never), { code: 'message_unreadable' });
    t.match(Buffer.from((await ofHeld.raw(owner, { pending_id }, {} as never)).content).toString(), /aardvark/);
  });
  await pool.close();
});

t.test('a mail that ends the thread that quotes it is forwarded whole', async (t) => {
  await using instance = await startInstance();
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text: 'The aardvark.' });
  const [{ id = '' } = {}] = (await instance.client(instance.agents.ann).messages.list({})).messages;
  const pool = brokenPool(instance, ({ kind }) => (kind === 'forward' ? new ThreadDied('its loop stood still') : null));
  const sent: SendRequest[] = [];
  const send: SendingNeeds['send'] = async (request) => {
    sent.push(request as SendRequest);
    return { kind: 'rejected', reason: 'workspace_paused' };
  };
  await instance.inStore(async (store) => {
    const agent = await findAgent(store.read, 'ann');
    const needs = { store, workers: pool, clock: systemClock, send } as unknown as SendingNeeds;
    const when = { undo_seconds: 0, dry_run: false };
    const to = [{ name: null, address: 'erin@remote.test' as Address }];
    const forward = { id: id as never, to, body: 'See below.', mode: 'inline' as const, attachments: [], ...when };
    await createSending(needs).forward(asReader(agent as Agent), forward, { via: 'REST' } as never);
  });
  await pool.close();
  const [{ content } = {}] = sent;
  t.match(content, { body: 'See below.', attachments: [{ contentType: 'message/rfc822' }] });
});

/** Push to the browsers of signed-in persons: a push service on loopback takes it, and the browser's keys open it. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import type { Browser } from '../../harness/http/browser.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { createPushBrowser, type PushBrowser, readVapid } from '../../harness/http/push.ts';
import { startWebhookInstance, type WebhookBox } from '../../harness/http/webhooks.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GUEST = 'guest@remote.test';

const subscribe = async (box: WebhookBox, person: Browser, path: string): Promise<PushBrowser> => {
  const browser = createPushBrowser();
  const { status, body } = await person.call('told/subscribe', { endpoint: box.url(path), keys: browser.keys });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return browser;
};

const hold = async ({ instance }: WebhookBox, subject: string): Promise<string> => {
  const sent = await instance
    .client(instance.agents.ann)
    .messages.send({ to: ['carol@peer.test'], subject, body: 'The body stays here.' });
  if (sent.pendingId === undefined) throw new Error(`It is ${sent.status}`);
  return sent.pendingId;
};

const start = async (): Promise<WebhookBox> => {
  const box = await startWebhookInstance();
  await cliJson(box.instance.configPath, 'agents', 'hold', 'ann');
  return box;
};

const pass = async ({ clock, instance }: WebhookBox, ms: number): Promise<void> => {
  clock.pass(ms);
  await instance.daemon.push.drain();
};

const pathsOf = ({ receiver }: WebhookBox): string[] => receiver.requests.map(({ path }) => path);

t.test('a held mail is told once, and more of them in one after a minute', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  const before = await person.call('told/get');
  t.match(before.body, { push: { here: null }, mail: { held: true, needs: true }, digest: { every: 'off' } });
  const browser = await subscribe(box, person, '/push/1');
  const first = await hold(box, 'Offer \u202eof chairs');
  const [request] = await receiver.waitFor(1);
  if (!request) return;
  t.same(browser.read(request), {
    title: 'A mail of ann waits for your decision',
    body: 'To: carol@peer.test\nSubject: Offer of chairs',
    tag: `held ${instance.workspace.id}`,
    url: `/console/approvals/${first}?workspace=acme`,
  });
  t.match(request.headers, { 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal', topic: /^[\w-]{32}$/ });
  const { key, claims } = readVapid(request);
  t.equal(key, before.body.push.public_key);
  t.match(claims, { aud: new URL(box.url()).origin, sub: 'mailto:postmaster@example.com' }, 'not .test');
  const exp = Number(claims.exp) - box.clock.now() / 1000;
  t.ok(exp > 0 && exp <= 24 * 3600, 'at most a day');

  await hold(box, 'Second');
  const third = await hold(box, 'Third');
  await pass(box, 0);
  t.equal(receiver.requests.length, 1, 'not within the minute');
  await pass(box, MINUTE);
  t.equal(receiver.requests.length, 2);
  t.match(browser.read(receiver.requests[1] ?? request), {
    title: '3 mails wait for your decision',
    body: /^The newest is of ann\nTo: carol@peer.test\nSubject: Third$/,
    tag: `held ${instance.workspace.id}`,
    url: `/console/approvals/${third}?workspace=acme`,
  });
  await pass(box, HOUR);
  t.equal(receiver.requests.length, 2, 'nothing is told twice');
  t.match(await listActs(instance), {
    0: { action: 'push.add', actor: 'owner@remote.test', detail: { host: /^hooks/ } },
  });
  t.same(instance.faults, []);
});

t.test('what a push service refuses is tried again over a restart, and 410 ends the subscription', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  await subscribe(box, person, '/push/1');
  receiver.answer((_request, response) => void response.writeHead(503, { 'retry-after': '600' }).end());
  await hold(box, 'Offer');
  await receiver.waitFor(1);
  await eventually(async () =>
    instance.inStore(async ({ read }) => {
      const row = await read.selectFrom('push_messages').select('attempts').executeTakeFirst();
      return row?.attempts === 1;
    }),
  );
  await instance.restart();
  await pass(box, 9 * MINUTE);
  t.equal(receiver.requests.length, 1, 'not before it asks for it');
  receiver.answer((_request, response) => void response.writeHead(410).end());
  await pass(box, 2 * MINUTE);
  t.equal(receiver.requests.length, 2);
  t.match((await person.call('told/get')).body, { push: { here: null } });
  await hold(box, 'Another');
  await pass(box, HOUR);
  t.equal(receiver.requests.length, 2);
  t.match(await person.call('told/test'), { status: 404, body: { error: 'not_found' } });
  t.same(instance.faults, []);
});

t.test('an endpoint that is refused for good, or fails for hours, is given up', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  await subscribe(box, person, '/push/1');
  receiver.answer((_request, response) => void response.writeHead(413).end('x'.repeat(100_000)));
  await hold(box, 'Offer');
  await eventually(async () => instance.warned.some(({ message }) => message === 'a push was given up'));
  receiver.answer((_request, response) => void response.writeHead(receiver.requests.length % 2 ? 500 : 406).end());
  await pass(box, 2 * MINUTE);
  await hold(box, 'Another');
  for (let hours = 0; hours < 8; hours += 1) await pass(box, HOUR);
  t.equal(receiver.requests.length, 1 + 6, 'six attempts');
  t.same(instance.faults, []);
});

t.test('a push goes to https alone and to no private address, also where the name moves later', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  const { keys } = createPushBrowser();
  const refused = async (endpoint: string, error: string, of: object = keys) =>
    t.match(await person.call('told/subscribe', { endpoint, keys: of }), { status: 400, body: { error } }, endpoint);
  await refused('http://hooks.test/push', 'https_url_required');
  await refused('no address', 'https_url_required');
  await refused('https://ann:secret@hooks.test/push', 'credentials_in_url');
  await refused('https://10.0.0.1/push', 'private_url_not_allowed');
  await refused('https://[fd00::1]/push', 'private_url_not_allowed');
  await refused(`https://hooks.test/${'x'.repeat(3000)}`, 'invalid_request');
  await refused(box.url('/push'), 'invalid_request', { ...keys, p256dh: 'AAAA' });
  await refused(box.url('/push'), 'invalid_request', { ...keys, auth: 'AAAA' });
  t.match((await person.call('told/get')).body, { push: { here: null } });

  await subscribe(box, person, '/push/1');
  instance.dns.zone.set('hooks.test', 'A', ['10.0.0.1']);
  box.clock.pass(2 * MINUTE);
  t.match(await person.call('told/test'), { body: { delivered: false, reason: /leads to a private address/ } });
  t.equal(receiver.requests.length, 0);
  t.same(instance.faults, []);
});

t.test('a person is told of its own workspaces, and ends nothing of another', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  await instance.addWorkspace('other');
  const addGuest = (workspace: string) =>
    asOperator(instance, (call) => call(contracts.owners.add, { email: GUEST, workspace }));
  await addGuest('other');
  const owner = await signInOwner(instance);
  const guest = await signInOwner(instance, GUEST);
  const stranger = await signInOwner(instance, GUEST);
  await subscribe(box, owner, '/push/owner');
  await subscribe(box, guest, '/push/guest');
  // Another's endpoint, without the keys of its browser.
  await subscribe(box, stranger, '/push/owner');
  t.match(await stranger.call('told/unsubscribe'), { status: 200 });
  t.match((await owner.call('told/get')).body, { push: { here: { held: true, needs: true } } });
  t.match((await guest.call('told/get')).body, { push: { here: { held: true } } });
  await hold(box, 'Offer');
  await receiver.waitFor(1);
  await pass(box, MINUTE);
  t.same(pathsOf(box), ['/push/owner'], 'the workspace of another is not told of');

  await addGuest('acme');
  await hold(box, 'Second');
  await pass(box, MINUTE);
  t.same(pathsOf(box).slice(1).sort(), ['/push/guest', '/push/owner']);
  t.match((await owner.call('told/set', { push: { held: false } })).body, { push: { here: { held: false } } });
  await hold(box, 'Third');
  // Written while it could be told, sent when it may not.
  await asOperator(instance, (call) => call(contracts.owners.remove, { email: GUEST, workspace: 'acme' }));
  await pass(box, HOUR);
  t.equal(receiver.requests.length, 3);
  t.same(instance.faults, []);
});

t.test('a subscription ends with its session', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const [one, two, three] = [await signInOwner(instance), await signInOwner(instance), await signInOwner(instance)];
  await subscribe(box, one, '/push/1');
  await subscribe(box, two, '/push/2');
  await one.call('session/end');
  const { sessions } = (await three.call('session/list')).body;
  t.match(sessions, [{ browser: 'a browser' }, { browser: 'a browser' }]);
  for (const { id, is_this } of sessions) if (!is_this) await three.call('session/endOne', { id });
  await hold(box, 'Offer');
  await pass(box, MINUTE);
  t.equal(receiver.requests.length, 0);
  // The same browser signs in again: its subscription is of the new session alone.
  const browser = createPushBrowser();
  const endpoint = box.url('/push/3');
  await three.call('told/subscribe', { endpoint, expirationTime: null, keys: browser.keys });
  const again = await signInOwner(instance);
  await again.call('told/subscribe', { endpoint, expirationTime: null, keys: browser.keys });
  t.match((await three.call('told/get')).body, { push: { here: null } });
  await hold(box, 'Second');
  await pass(box, MINUTE);
  t.same(pathsOf(box), ['/push/3']);
  t.same(instance.faults, []);
});

t.test('what comes to need a person is told once for as long as it stands', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  const browser = await subscribe(box, person, '/push/1');
  await instance.daemon.jobs.runAll();
  t.equal(receiver.requests.length, 0, 'nothing needs it');
  const turn = (act: 'pause' | 'resume') => cliJson(instance.configPath, 'workspaces', act, 'acme');
  const look = async (ms: number) => {
    box.clock.pass(ms);
    await instance.daemon.jobs.runAll();
    await instance.daemon.push.drain();
  };
  await turn('pause');
  await look(MINUTE);
  const [request] = await receiver.waitFor(1);
  if (!request) return;
  t.match(browser.read(request), {
    title: 'Sending is paused',
    body: /Every send is refused/,
    url: '/console/?workspace=acme',
  });
  for (let day = 0; day < 3; day += 1) await look(20 * HOUR);
  await instance.restart();
  await look(HOUR);
  t.equal(receiver.requests.length, 1, 'it stands, and is not told again');
  await turn('resume');
  await look(26 * HOUR);
  await turn('pause');
  await look(MINUTE);
  t.equal(receiver.requests.length, 2, 'it came back after more than a day');
  t.same(instance.faults, []);
});

t.test('a test goes at once and says how it went, up to a bound', async (t) => {
  await using box = await start();
  const { instance, receiver } = box;
  const person = await signInOwner(instance);
  t.match(await person.call('told/test'), { status: 404 });
  t.match(await person.call('told/set', { push: { held: false } }), { status: 404 });
  t.match(await person.call('told/unsubscribe'), { status: 404 });
  const browser = await subscribe(box, person, '/push/1');
  t.match((await person.call('told/test')).body, { delivered: true, reason: null });
  const [request] = receiver.requests;
  if (request) t.match(browser.read(request), { tag: 'test', url: '/console/you' });
  receiver.answer((_request, response) => void response.writeHead(403).end());
  t.match((await person.call('told/test')).body, { delivered: false, reason: /ended the subscription/ });
  t.match((await person.call('told/get')).body, { push: { here: null }, mail: { held: true } });
  await subscribe(box, person, '/push/1');
  let limited = 0;
  for (let n = 0; n < 20; n += 1) {
    await subscribe(box, person, '/push/1');
    if ((await person.call('told/test')).status === 429) limited += 1;
  }
  t.equal(limited, 2);
  t.same(instance.faults, []);
});

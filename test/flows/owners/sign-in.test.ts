/** Owners: signing in by a mailed or printed link, what a session shows, and how it ends. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { claim, linksMailedTo, mailedLink, signUp } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const OWNER = 'owner@remote.test';

const movingClock = () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  return clock;
};

const { owners, workspaces } = contracts;

const signInLink = async (instance: TestInstance, email: string): Promise<string> => {
  const { url } = await asOperator(instance, (call) => call(owners.addSignInLink, { email }));
  return url.slice(instance.baseUrl.length);
};

const signOutEverywhere = (instance: TestInstance) =>
  asOperator(instance, (call) => call(owners.signOut, { email: OWNER }));

t.test('an owner signs in by a mailed link, which verifies the address, and out', async (t) => {
  await using instance = await startInstance();
  const workspace = await instance.addWorkspace('Unsure', false);
  const agent = await instance.addAgent('carl', workspace);
  const send = { to: ['a@remote.test'], subject: 'Hi', body: 'Hi' };
  t.match(await instance.client(agent).messages.send(send), { reason: 'sending_locked_verify_email' });

  const browser = createBrowser(instance.baseUrl);
  const home = await browser.get('/console/');
  t.same([home.status, home.headers.get('location')], [303, '/console/sign-in']);
  const ask = await browser.get('/console/sign-in');
  t.same(ask.forms, [{ method: 'post', action: '/console/sign-in', buttons: ['Mail me a sign-in link'] }]);
  const known = await browser.post('/console/sign-in', { email: ' Owner@Remote.TEST ' });
  const unknown = await browser.post('/console/sign-in', { email: 'nobody@remote.test' });
  t.equal(known.status, 200);
  t.equal(known.html, unknown.html, 'the same words whether the address is known or not');
  t.equal((await browser.post('/console/sign-in', { email: 'nobody' })).status, 400);
  t.equal((await browser.post('/console/sign-in')).status, 400);
  const link = await mailedLink(instance, OWNER);
  t.same(linksMailedTo(instance, 'nobody@remote.test'), []);
  const mailed = instance.receiver.messages.at(-1)?.raw.toString().replaceAll('=\r\n', '');
  t.match(mailed, /It works once, for 15 minutes \(until \d\d:\d\d UTC\):/, 'where the clock tells another hour, too');

  for (let n = 0; n < 2; n += 1) t.same((await browser.get(link)).forms[0]?.buttons, ['Sign in']);
  t.equal((await fetch(new URL(link, instance.baseUrl), { method: 'HEAD' })).status, 200, 'as mail scanners ask first');
  t.match(await instance.client(agent).messages.send(send), { status: 'rejected' }, 'no GET or HEAD verifies');
  const foreign = await browser.post(link, {}, { 'sec-fetch-site': 'cross-site' });
  t.same([foreign.status, browser.cookie], [403, null], 'no other site signs a person in');
  const done = await browser.post(link);
  t.same([done.status, done.headers.get('location')], [303, '/console/sign-in?done']);
  const refused = await createBrowser(instance.baseUrl).get('/console/sign-in?done');
  t.match(refused.text, 'This browser refused the cookie', 'it is said, and not only asked again');
  for (const again of [await browser.get(link), await browser.post(link)]) t.equal(again.status, 410);
  const again = await browser.get('/console/sign-in');
  t.same([again.status, again.headers.get('location')], [303, '/console/'], 'who is signed in needs no link');
  t.match((await browser.call('session/get')).body, {
    email: OWNER,
    workspaces: [{ name: 'Acme' }, { name: 'Unsure' }],
  });
  const listed = await browser.call('agents/list', {}, 'unsure');
  t.match(listed.body, { agents: [{ address: agent.address }] });
  t.equal((await instance.client(agent).messages.send(send)).status, 'sent');

  const other = createBrowser(instance.baseUrl);
  other.cookie = browser.cookie;
  await browser.post('/console/sign-out', { everywhere: 'yes' });
  t.equal(browser.cookie, null);
  t.equal((await other.call('session/get')).status, 401, 'the cookie is worth nothing any more');
  t.equal((await other.get('/console/')).status, 303);
  const acts = await listActs(instance, 'unsure');
  t.match(acts[0]?.detail, { everywhere: true });
  t.match(
    acts.map(({ action, actor, via }) => [action, actor, via]).filter(([action]) => action !== 'message.send'),
    [
      ['session.end', OWNER, 'console'],
      ['session.start', OWNER, 'console'],
      ['workspace.verify', OWNER, 'console'],
    ],
  );
  t.same(instance.faults, []);
});

const signInNow = async (instance: TestInstance, clock: ReturnType<typeof movingClock>) => {
  const browser = createBrowser(instance.baseUrl);
  // The command line makes the link, by the clock of the system.
  clock.ahead = 0;
  await browser.post(await signInLink(instance, OWNER));
  return browser;
};

t.test('of too many sessions the one that was not used for longest ends', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const signIn = () => signInNow(instance, clock);
  const daily = await signIn();
  const once = await signIn();
  clock.ahead = DAY / 2;
  const isIn = async (browser: typeof daily) => (await browser.call('session/get')).status === 200;
  t.ok(await isIn(daily));
  for (let n = 0; n < 19; n += 1) await signIn();
  t.same([await isIn(daily), await isIn(once)], [true, false]);
});

t.test('sessions end by time, everywhere at once, and with what the owner has', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const signIn = () => signInNow(instance, clock);
  const [one, two, three] = [await signIn(), await signIn(), await signIn()];
  const isIn = async (browser: typeof one) => (await browser.call('session/get')).status === 200;
  t.ok(await isIn(one));
  const { sessions } = (await one.call('session/list')).body;
  t.equal(sessions.length, 3);
  t.equal(sessions.filter(({ is_this }: { is_this: boolean }) => is_this).length, 1);
  const [own] = (await three.call('session/list')).body.sessions.filter(({ is_this }: { is_this: boolean }) => is_this);
  t.match(await one.call('session/endOne', { id: own.id }), { status: 200, body: { ended: true } });
  t.same([await isIn(one), await isIn(two), await isIn(three)], [true, true, false], 'that one alone');
  t.match(await one.call('session/endOne', { id: own.id }), { status: 404 });
  const unused = await signInLink(instance, OWNER);
  await one.post('/console/sign-out', { everywhere: 'yes' });
  t.equal((await createBrowser(instance.baseUrl).post(unused)).status, 410, 'links that were not used end with it');
  t.same([await isIn(two), await isIn(three)], [false, false]);

  const idle = await signIn();
  clock.ahead = 13 * DAY;
  t.ok(await isIn(idle), 'used');
  clock.ahead = 26 * DAY;
  t.ok(await isIn(idle), '14 days begin anew with each use');
  clock.ahead = 41 * DAY;
  t.notOk(await isIn(idle), 'idle for 15');

  const more = await signIn();
  await signOutEverywhere(instance);
  t.notOk(await isIn(more), 'by the operator');
  const link = await signInLink(instance, OWNER);
  clock.ahead = 16 * MINUTE;
  t.equal((await createBrowser(instance.baseUrl).post(link)).status, 410, 'a printed link lives 15 minutes');
  t.equal((await createBrowser(instance.baseUrl).post(`/console/sign-in/${'a'.repeat(43)}`)).status, 404);
  const void_ = await signInLink(instance, OWNER);
  await signOutEverywhere(instance);
  clock.ahead = 0;
  t.equal((await createBrowser(instance.baseUrl).post(void_)).status, 410, 'and ends with a sign-out everywhere');
});

t.test('five links an hour go to an address; a claim takes none of them', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const browser = createBrowser(instance.baseUrl);
  const ask = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      t.equal((await browser.post('/console/sign-in', { email: OWNER })).status, 200);
    }
  };
  await ask(7);
  await eventually(async () => linksMailedTo(instance, OWNER).length === 5);
  const signup = await signUp(instance, { handle: 'pilot', email: OWNER });
  await claim(instance, browser, signup, OWNER);
  t.equal(linksMailedTo(instance, OWNER).length, 6, 'five, and the claim');
  clock.ahead += 61 * MINUTE;
  await ask(1);
  await eventually(async () => linksMailedTo(instance, OWNER).length === 7);
});

t.test('where no mail leaves the machine, the page tells how a link is printed', async (t) => {
  await using instance = await startInstance({ outbound: 'local_only = true' });
  const browser = createBrowser(instance.baseUrl);
  const page = await browser.get('/console/sign-in');
  t.same([page.status, page.forms], [200, []]);
  t.match(page.html, 'postroom owners sign-in-link EMAIL');
  const posted = await browser.post('/console/sign-in', { email: OWNER });
  t.same([posted.status, posted.html], [409, page.html], 'no link is promised');
  t.equal((await browser.post(await signInLink(instance, OWNER))).status, 303);
});

t.test('owners come and go', async (t) => {
  await using instance = await startInstance();
  const { configPath } = instance;
  const workspace = 'acme';
  t.match(await cliJson(configPath, 'owners', 'add', 'Eve@Remote.test', '--workspace', workspace), {
    ...{ email: 'eve@remote.test', workspace: 'acme', verified_at: null },
  });
  t.match(await runCli(configPath, 'owners', 'remove', OWNER, '--workspace', workspace), { code: 2, stderr: /--yes/ });
  const link = (await cliJson(configPath, 'owners', 'sign-in-link', 'eve@remote.test')) as Record<string, string>;
  t.same(Object.keys(link), ['url', 'expires_at']);
  const eve = createBrowser(instance.baseUrl);
  await eve.post(link.url?.slice(instance.baseUrl.length) ?? '');
  t.match((await eve.call('agents/list')).body, { agents: [{ address: instance.agents.ann.address }, {}] });
  await asOperator(instance, async (call) => {
    const listed = await call(owners.list, { workspace });
    t.match(listed.owners, [{ email: OWNER }, { email: 'eve@remote.test', verified_at: null }]);
    await call(owners.remove, { email: OWNER, workspace });
  });
  t.match(await instance.findWorkspace(), { ownerEmail: 'eve@remote.test' }, 'notices go to the one who is left');
  await asOperator(instance, async (call) => {
    await call(owners.add, { email: OWNER, workspace });
    await call(owners.remove, { email: 'eve@remote.test', workspace });
  });
  t.equal((await eve.call('session/get')).status, 401, 'with the last workspace the session ends');
  t.equal((await eve.call('agents/list', {}, workspace)).status, 401, 'what is taken away is out of reach at once');

  const signup = await signUp(instance, { handle: 'pilot', email: 'm@remote.test' });
  await asOperator(instance, async (call) => {
    t.match(await call(owners.add, { email: 'eve@remote.test', workspace: 'pilot' }), { may_send: true });
    t.match(await call(workspaces.get, { workspace: 'pilot' }), {
      ...{ claim: 'claimed', owner_email: 'eve@remote.test', verified_at: String, may_send: true, lapses_at: null },
    });
    const { verified_at } = await call(workspaces.verify, { workspace: 'pilot' });
    t.match(await call(workspaces.verify, { workspace: 'pilot' }), { slug: 'pilot', verified_at });
  });
  t.match((await eve.get(new URL(signup.claim_url).pathname)).title, /claimed already/, 'an operator gives it away');
  const pilot = { handle: 'pilot', address: signup.address, key: signup.api_key };
  t.match(await instance.client(pilot).messages.send({ to: ['a@remote.test'], subject: 'Hi', body: 'Hi' }), {
    status: 'sent',
  });
  t.match(await runCli(configPath, 'owners', 'list'), {
    stdout: /ADDRESS PROVEN +MAY SEND.*\n(.*\n)*eve@remote\.test +pilot +no +yes/,
  });
  const acts = (await listActs(instance, 'pilot')).map(({ action }) => action);
  t.same(
    acts.filter((action) => action === 'workspace.verify'),
    [],
    'what is so already is no act',
  );

  await signUp(instance, { handle: 'stray', email: 'stray@remote.test' });
  t.match(await runCli(configPath, 'owners', 'sign-in-link', 'stray@remote.test'), {
    code: 1,
    stderr: /named by an unclaimed signup: postroom owners add stray@remote\.test --workspace stray/,
  });
  t.match(await runCli(configPath, 'workspaces', 'list'), {
    stdout: /stray@remote\.test +no +normal +open until \d{4}/,
  });
  const unsure = await runCli(configPath, 'workspaces', 'add', 'Unsure', '--owner', 'Mia@Remote.test');
  t.match(unsure.stdout, /may not send until .*postroom workspaces verify unsure/);
  t.match(await runCli(configPath, 'workspaces', 'list'), { stdout: /mia@remote\.test +no +normal/ });
  t.match(await runCli(configPath, 'owners', 'list'), { stdout: /mia@remote\.test +unsure +no +no/ });
  await cliJson(configPath, 'owners', 'sign-out', 'eve@remote.test');
  t.match(
    (await listActs(instance, 'pilot'))[0],
    { action: 'session.end', actor: 'operator', subject: 'eve@remote.test', detail: { everywhere: true } },
    "in the log of the owner's workspace",
  );
});

/** Claiming: the pages, the mailed link, and that nothing but a press does anything. */

import t, { type Test } from 'tap';
import { createBrowser, type Page } from '../../harness/http/browser.ts';
import { startInstance } from '../../harness/instance.ts';
import { listActs } from '../../harness/operator.ts';
import { claim, linksMailedTo, mailedLink, signUp } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const OWNER = 'm@remote.test';
const SIGNUP = { handle: 'pilot', email: OWNER, workspace_name: '<b>Fjord</b> & Co', description: '"I" <script>' };

const isSafe = (t: Test, page: Page, about: string) => {
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', about);
  t.equal(page.headers.get('cache-control'), 'no-store, no-transform', about);
  t.equal(page.headers.get('referrer-policy'), 'no-referrer', about);
  t.equal(page.headers.get('x-content-type-options'), 'nosniff', about);
  t.match(
    page.headers.get('content-security-policy'),
    /^default-src 'none'; style-src 'self'; .*; form-action 'self'/,
    about,
  );
  t.notMatch(page.headers.get('content-security-policy'), /unsafe/, about);
  t.same(
    [...page.elements].filter((name) => /script|img|iframe|object|style/.test(name)),
    [],
    about,
  );
  t.same(page.handlers, [], about);
  for (const name of ['html', 'main', 'h1', 'title']) t.ok(page.elements.has(name), `${about}: ${name}`);
};

t.test('a person claims by two presses, and its agent may send', async (t) => {
  await using instance = await startInstance();
  const signup = await signUp(instance, SIGNUP);
  const agent = { handle: 'pilot', address: signup.address, key: signup.api_key };
  const browser = createBrowser(instance.baseUrl);
  const path = new URL(signup.claim_url).pathname;

  const offer = await browser.get(path);
  isSafe(t, offer, 'the offer');
  t.equal(offer.status, 200);
  t.match(offer.text, '<b>Fjord</b> & Co');
  t.match(offer.text, signup.address);
  t.notMatch(offer.html, OWNER, 'the address is not shown to whoever has the link');
  t.same(offer.forms, [{ method: 'post', action: null, buttons: ['Mail the claim link to m…@remote.test'] }]);
  for (let n = 0; n < 3; n += 1) await browser.get(path);
  t.same(linksMailedTo(instance, OWNER), [], 'no GET mails');

  const mailed = await browser.post(path);
  isSafe(t, mailed, 'mailed');
  t.equal(mailed.status, 200);
  const link = await mailedLink(instance, OWNER);
  const mail = instance.receiver.messages.find(({ rcptTo }) => rcptTo.includes(OWNER))?.raw.toString() ?? '';
  t.match(mail, /^From: .*noreply@agents\.box\.test/m);
  t.match(mail, /^Auto-Submitted: auto-generated/m);
  t.notMatch(mail, /Fjord|script/, 'nothing that an outsider has written');
  t.notMatch(link, path.split('/').at(-1) ?? '', 'a secret of its own');

  for (let n = 0; n < 3; n += 1) {
    const page = await browser.get(link);
    isSafe(t, page, 'the confirmation');
    t.same(page.forms, [{ method: 'post', action: null, buttons: ['Claim it and sign in'] }]);
  }
  const refused = await instance.request(agent, 'POST', '/v1/messages', { to: [OWNER], subject: 'Hi', body: 'Hi' });
  t.equal(refused.status, 422, 'no GET claims');
  t.equal(browser.cookie, null);

  const done = await browser.post(link);
  t.same([done.status, done.headers.get('location')], [303, '/console/sign-in?done']);
  t.match(
    done.headers.get('set-cookie'),
    /^postroom_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  t.match((await browser.call('session/get')).body, { email: OWNER, workspaces: [{ is_verified: true }] });
  t.match((await browser.call('agents/list')).body, { agents: [{ address: signup.address }] });
  const sent = await instance.client(agent).messages.send({ to: ['a@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(sent.status, 'sent');

  for (const [page, status] of [
    [await browser.get(path), 200],
    [await browser.post(path), 409],
  ] as const) {
    t.same([page.status, page.title], [status, 'This workspace is claimed already']);
  }
  for (const page of [await browser.get(link), await browser.post(link)]) t.equal(page.status, 410, 'used');
  t.same(
    (await listActs(instance)).slice(0, 3).map(({ actor, action, via, subject }) => [actor, action, via, subject]),
    [
      ['pilot', 'message.send', 'REST', 'a@remote.test'],
      [OWNER, 'session.start', 'console', OWNER],
      [OWNER, 'workspace.claim', 'console', 'b-fjord-b-co'],
    ],
  );
  t.match((await instance.events()).find(({ name }) => name === 'agent.claimed')?.data, {
    workspace_id: String,
    handle: String,
    address: /@b-fjord-b-co\./,
  });
  const token = path.split('/').at(-1) ?? '';
  const secret = link.split('/').at(-1) ?? '';
  const said = JSON.stringify([instance.logged, instance.warned, await listActs(instance)]);
  for (const each of [token, secret, browser.cookie?.split('=')[1] ?? '']) t.notOk(said.includes(each), 'not logged');
  const rows = await instance.inStore(async ({ read }) =>
    JSON.stringify([
      await read.selectFrom('sign_in_links').selectAll().execute(),
      await read.selectFrom('owner_sessions').selectAll().execute(),
      await read.selectFrom('workspaces').selectAll().execute(),
      await read.selectFrom('notices').selectAll().execute(),
    ]),
  );
  for (const each of [token, secret, browser.cookie?.split('=')[1] ?? '']) t.notOk(rows.includes(each), 'not stored');
  t.same(instance.faults, []);
});

t.test('links that are wrong, late or foreign', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const signup = await signUp(instance, SIGNUP);
  const browser = createBrowser(instance.baseUrl);
  const path = new URL(signup.claim_url).pathname;
  for (const wrong of ['/claim/x', `/claim/${'a'.repeat(43)}`, `/claim/confirm/${'a'.repeat(43)}`, '/claim/..%2fx']) {
    for (const page of [await browser.get(wrong), await browser.post(wrong)]) {
      isSafe(t, page, wrong);
      t.same([page.status, page.title], [404, 'This link claims nothing'], wrong);
    }
  }
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' };
  t.equal((await browser.post(path, {}, foreign)).status, 403);
  t.equal((await browser.post(path, {}, { ...foreign, origin: 'null' })).status, 403);
  const old = await fetch(signup.claim_url, { method: 'POST', headers: { origin: 'https://evil.test' } });
  t.equal(old.status, 403, 'a browser that tells the origin alone');
  t.equal((await browser.post(path)).status, 200);
  const link = await mailedLink(instance, OWNER);
  t.equal((await browser.post(link, {}, foreign)).status, 403);
  t.equal(browser.cookie, null);
  const confirm = path.replace('/claim/', '/claim/confirm/');
  t.equal((await browser.post(confirm)).status, 404, "the agent's token does not confirm");
  t.equal(
    (await browser.post(link.replace('/claim/confirm/', '/console/sign-in/'))).status,
    404,
    'nor a claim sign in',
  );
  clock.ahead += 15 * MINUTE;
  for (const page of [await browser.get(link), await browser.post(link)]) {
    t.same([page.status, page.title], [410, 'This link has expired']);
  }
  const large = await fetch(signup.claim_url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `x=${'y'.repeat(10_000)}`,
  });
  t.equal(large.status, 413);
  t.match(large.headers.get('content-type'), 'text/html');
  t.same(instance.faults, []);
});

t.test('an address is mailed three claims in an hour, ten in a day, five of a site, over all signups', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const http = 'trusted_proxies = ["127.0.0.1"]';
  await using instance = await startInstance({ runtime: { clock }, http });
  const signups = await Promise.all(
    ['one', 'two', 'three', 'four'].map((n) => signUp(instance, { ...SIGNUP, handle: `pilot-${n}` })),
  );
  const browser = createBrowser(instance.baseUrl);
  const pressFrom = async (ip: string) => {
    const pages = await Promise.all(
      signups.map(({ claim_url }) => browser.post(new URL(claim_url).pathname, {}, { 'x-forwarded-for': ip })),
    );
    return pages.map(({ status }) => status).sort();
  };
  for (const [ip, counted] of [
    ['2001:db8:1::1', [200, 200, 200, 429]],
    ['2001:db8:1:2::1', [200, 200, 429, 429]],
    ['2001:db8:1:3::1', [429, 429, 429, 429]],
    ['198.51.100.7', [200, 200, 200, 429]],
    ['198.51.100.8', [200, 200, 429, 429]],
    ['198.51.100.9', [429, 429, 429, 429]],
  ] as const) {
    t.same(await pressFrom(ip), counted, ip);
    clock.ahead += 61 * MINUTE;
  }
  await eventually(async () => linksMailedTo(instance, OWNER).length === 10);
  clock.ahead += 24 * 60 * MINUTE;
  t.same(await pressFrom('2001:db8:1::1'), [200, 200, 200, 429]);
});

t.test('of two who press at once, one claims; an owner has several workspaces', async (t) => {
  await using instance = await startInstance();
  const [first, second] = [await signUp(instance, SIGNUP), await signUp(instance, { ...SIGNUP, handle: 'navigator' })];
  const [here, there] = [createBrowser(instance.baseUrl), createBrowser(instance.baseUrl)];
  await here.post(new URL(first.claim_url).pathname);
  await here.post(new URL(first.claim_url).pathname);
  const links = [await mailedLink(instance, OWNER, 1), await mailedLink(instance, OWNER, 2)];
  const pages = await Promise.all([here.post(links[0] ?? ''), there.post(links[1] ?? '')]);
  t.same(pages.map(({ status }) => status).sort(), [303, 409]);
  t.equal((await claim(instance, here, second, OWNER)).status, 303);
  const { workspaces } = (await here.call('session/get')).body;
  t.equal(workspaces.length, 2);
  for (const [at, { address }] of [first, second].entries()) {
    t.match((await here.call('agents/list', {}, workspaces[at].slug)).body, { agents: [{ address }] });
  }
});

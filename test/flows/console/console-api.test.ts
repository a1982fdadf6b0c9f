/** The console's API: sessions, workspaces, refusals of other sites, live events, and what stands at its paths. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { OWNER, printedLink, signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';

let instance: TestInstance;
t.before(async () => {
  instance = await startInstance();
});
t.teardown(() => instance[Symbol.asyncDispose]());

t.test('an owner calls the operations that owners may call, in a workspace of theirs', async (t) => {
  const owner = await signInOwner(instance);
  t.match((await owner.call('session/get')).body, {
    email: OWNER,
    workspaces: [{ slug: 'acme', sending_state: 'normal' }],
  });
  const listed = await owner.call('agents/list');
  t.equal(listed.status, 200);
  t.match(listed.body, { agents: [{ handle: 'ann' }, { handle: 'bob' }] });
  t.equal(listed.headers.get('cache-control'), 'no-store');
  t.match(listed.headers.get('x-ratelimit-limit'), '600');

  t.match(await owner.call('agents/hold', { agent: 'ann' }), { status: 200, body: { hold: true } });
  t.match((await listActs(instance))[0], { action: 'agent.hold', actor: OWNER, via: 'console' });
  t.match(await owner.call('agents/hold', { agent: 'ann', hold: false }), { status: 200 });
  t.match(await owner.call('agents/hold', { agent: 'nobody' }), { status: 404, body: { error: 'agent_not_found' } });
  t.match(await owner.call('agents/hold', { agent: 7 }), { status: 400, body: { error: 'invalid_request' } });

  t.match(await owner.call('workspaces/setPlan', { plan: 'pro' }), { status: 404, body: { error: 'route_not_found' } });
  t.match(await owner.call('agents/constructor'), { status: 404 });
  t.match(await owner.call('vault/rotateKey'), { status: 404 });
  const get = await fetch(new URL('/console/api/agents/list', instance.baseUrl), {
    headers: { cookie: owner.cookie ?? '' },
  });
  t.match(get, { status: 405 });
  t.equal(get.headers.get('allow'), 'POST');
  t.match(get.headers.get('set-cookie'), /postroom_session=/);
  t.equal(get.headers.get('cache-control'), 'no-store', 'no cache keeps the cookie of a refusal');
});

t.test('a GET runs nothing that changes anything: a link in a mail leads to one', async (t) => {
  const owner = await signInOwner(instance);
  const headers = { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' };
  for (const path of ['invitations/add?email=eve@remote.test', 'keys/add?agent=ann&name=x', 'agents/list']) {
    for (const door of ['frame', 'api']) {
      const { status } = await fetch(new URL(`/console/${door}/${path}`, instance.baseUrl), { headers });
      t.equal(status, door === 'api' ? 405 : 404, `${door}/${path}`);
    }
  }
  t.same((await owner.call('invitations/list')).body, { invitations: [] });
  t.equal((await owner.call('keys/list', { agent: 'ann' })).body.keys.length, 1);
});

t.test('a file that came by mail is no script and no style of this origin', async (t) => {
  const owner = await signInOwner(instance);
  const mail = { to: ['ines@remote.test'], subject: 'Files', body: 'Here.' };
  const types = { 'a.js': 'text/javascript', 'a.css': 'text/css', 'a.svg': 'image/svg+xml', 'a.png': 'image/png' };
  const attachments = Object.entries(types).map(([filename, type]) => ({
    filename,
    content_type: type,
    content_base64: 'eA==',
  }));
  const sent = await instance.client(instance.agents.ann).messages.send({ ...mail, attachments });
  const given = Object.keys(types).map(async (filename) => {
    const query = new URLSearchParams({ agent: 'ann', id: sent.messageId ?? '', filename });
    const reply = await fetch(new URL(`/console/api/mail/attachment?${query}`, instance.baseUrl), {
      headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' },
    });
    return [reply.status, reply.headers.get('content-type')];
  });
  const saved = [200, 'application/octet-stream'];
  t.same(await Promise.all(given), [saved, saved, saved, [200, 'image/png']]);
});

t.test('a workspace of another owner is out of reach', async (t) => {
  await instance.addWorkspace('Second');
  await asOperator(instance, async (call) => {
    await call(contracts.workspaces.add, {
      name: 'Other',
      owner_email: 'eve@remote.test',
      plan: 'pro',
      verified: true,
    });
    await call(contracts.agents.add, { handle: 'hidden', workspace: 'other' });
  });
  const owner = await signInOwner(instance);
  t.match(await owner.call('agents/list'), { status: 400, body: { error: 'invalid_request' } }, 'two: one is named');
  t.match(await owner.call('agents/list', {}, 'second'), { status: 200, body: { agents: [] } });
  t.match(await owner.call('agents/list', {}, 'other'), { status: 404, body: { error: 'workspace_not_found' } });
  t.match(await owner.call('agents/list', { workspace: 'other' }, 'acme'), { status: 404 });
  t.match(await owner.call('agents/suspend', { agent: 'hidden' }, 'acme'), { status: 404 });
  const eve = await signInOwner(instance, 'eve@remote.test');
  t.match(await eve.call('agents/list'), { status: 200, body: { agents: [{ handle: 'hidden' }] } });
});

t.test('what another site has a browser send is refused, and so is what is no JSON', async (t) => {
  const owner = await signInOwner(instance);
  const held = () => owner.call('agents/get', { agent: 'ann' }, 'acme');
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: instance.baseUrl },
  ]) {
    const refused = await owner.call('agents/hold', { agent: 'ann' }, 'acme', headers);
    t.match(refused, { status: 403, body: { error: 'origin_not_allowed' } });
  }
  const send = (headers: Record<string, string>, body: string) =>
    fetch(new URL('/console/api/agents/hold', instance.baseUrl), {
      method: 'POST',
      headers: { cookie: owner.cookie ?? '', 'x-workspace': 'acme', ...headers },
      body,
    });
  const json = { 'content-type': 'application/json' };
  t.equal((await send({ ...json, origin: 'https://evil.example' }, '{"agent":"ann"}')).status, 403);
  t.equal((await send({ ...json, origin: 'null' }, '{"agent":"ann"}')).status, 403);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    t.equal((await send({ 'content-type': type, origin: instance.baseUrl }, '{"agent":"ann"}')).status, 415, type);
  }
  t.equal((await send(json, '{"agent":')).status, 400);
  t.equal((await send(json, '[1]')).status, 400);
  t.match((await held()).body, { hold: false }, 'nothing was done');

  const stranger = createBrowser(instance.baseUrl);
  t.match(await stranger.call('agents/list'), { status: 401, body: { error: 'not_signed_in' } });
  stranger.cookie = `postroom_session=${'a'.repeat(43)}`;
  t.match(await stranger.call('session/get'), { status: 401 });
  const byKey = await instance.request(instance.agents.ann, 'POST', '/console/api/agents/list', {});
  t.equal(byKey.status, 401, 'an API key signs nobody in');
});

t.test('the page asked for is opened after signing in; signing out ends the session', async (t) => {
  const browser = createBrowser(instance.baseUrl);
  const ask = (path: string) =>
    fetch(new URL(path, instance.baseUrl), { redirect: 'manual', headers: { accept: 'text/html' } });
  const asked = await ask('/console/approvals/0199');
  t.same([asked.status, asked.headers.get('location')], [303, '/console/sign-in']);
  const cookies = asked.headers.getSetCookie();
  const next = cookies.find((cookie) => cookie.startsWith('postroom_next=')) ?? '';
  t.match(next, /^postroom_next=\/console\/approvals\/0199; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
  for (const path of [
    '/console/',
    '/console/x%0d%0aset-cookie:a',
    '/console/a?next=//evil.example',
    '/console/api/x',
  ]) {
    t.notOk(
      (await ask(path)).headers.getSetCookie().some((cookie) => cookie.startsWith('postroom_next=')),
      path,
    );
  }
  for (const path of ['/console/contacts?q=a%20b', '/console/?workspace=second']) {
    const [found] = (await ask(path)).headers.getSetCookie().filter((cookie) => cookie.startsWith('postroom_next='));
    t.equal(found?.split(';')[0], `postroom_next=${path}`, 'with what is looked for there');
  }
  const link = await printedLink(instance);
  await browser.post(link);
  const session = browser.cookie;
  for (const [kept, opened] of [
    [next.split(';')[0], '/console/approvals/0199'],
    ['postroom_next=//evil.example/', '/console/'],
  ]) {
    browser.cookie = `${session}; ${kept}`;
    t.equal((await browser.get('/console/sign-in?done')).headers.get('location'), opened);
  }

  const [here, there] = [await signInOwner(instance), await signInOwner(instance)];
  t.match(await here.call('session/end'), { status: 200, body: { ended: true } });
  t.match([(await here.call('session/get')).status, (await there.call('session/get')).status], [401, 200]);
  const more = await signInOwner(instance);
  await more.call('session/end', { everywhere: true });
  t.equal((await there.call('session/get')).status, 401);
});

t.test('events of every agent of the workspace come as they happen, and end with the session', async (t) => {
  const owner = await signInOwner(instance);
  const stop = new AbortController();
  const response = await fetch(new URL('/console/api/events?workspace=acme', instance.baseUrl), {
    headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' },
    signal: stop.signal,
  });
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const { ann, bob } = instance.agents;
  await instance.client(ann).messages.send({ to: [bob.address], subject: 'Live', body: 'Now' });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/"message\.sent"/.test(text) && /"message\.received"/.test(text)) break;
  }
  t.match(text, '"subject":"Live"');
  stop.abort();
  const stranger = await fetch(new URL('/console/api/events?workspace=other', instance.baseUrl), {
    headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' },
  });
  t.equal(stranger.status, 404);

  const ending = await fetch(new URL('/console/api/events?workspace=acme', instance.baseUrl), {
    headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' },
  });
  await owner.call('session/end');
  // Resolves with the end of the stream.
  t.match(await ending.text(), 'retry: 2000');
  t.same(instance.faults, []);
});

t.test('past the limit of its network a browser is shown a page, and the console its JSON', async (t) => {
  await using busy = await startInstance();
  const get = (path: string) => fetch(new URL(path, busy.baseUrl), { headers: { accept: 'text/html,*/*;q=0.8' } });
  while ((await get('/docs')).headers.get('x-ratelimit-remaining') !== '0');
  for (const path of ['/console/', '/console/sign-in', '/docs', '/nothing-there']) {
    const page = await get(path);
    t.equal(page.status, 429, path);
    t.ok(Number(page.headers.get('retry-after')) >= 1, path);
    t.match(await page.text(), /<h1>Too many requests<\/h1>.*Wait a minute/s, path);
  }
  t.equal((await get('/console/pages.css')).status, 200, 'with its style');
  t.match(await (await get('/console/api/session')).json(), { error: 'rate_limited' });
  t.match(await (await fetch(new URL('/docs', busy.baseUrl))).json(), { error: 'rate_limited' });
});

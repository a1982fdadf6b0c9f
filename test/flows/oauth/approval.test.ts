/** The approval page: the way to it and back, what it says of a client, and what it asks of browsers. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { initialize } from '../../harness/mcp/mcp-request.ts';
import {
  authorizeUrl,
  connect,
  createPerson,
  decide,
  exchange,
  locationOf,
  newPkce,
  openApproval,
  REDIRECT,
  register,
  signIn,
} from '../../harness/oauth/oauth-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { mailedLink } from '../../harness/signups.ts';

const { owners } = contracts;
const NAME = '<img src=x onerror=alert(1)> \u202ebad\u0000 & Co\n<b>';

t.test('who is not signed in is, by a mailed link, and comes back to the request', async (t) => {
  await using instance = await startInstance();
  const { clientId } = await register(instance);
  const person = createPerson(instance);
  const pkce = newPkce();
  const { path, page } = await openApproval(person, authorizeUrl(clientId, pkce));
  t.same([page.status, page.headers.get('location')], [303, '/console/sign-in']);
  t.match(
    await (await person.get('/console/sign-in')).text(),
    /<h1>Sign in to connect “Desk Companion”<[\s\S]*in this browser/,
  );
  const mailed = await person.post('/console/sign-in', new URLSearchParams({ email: 'owner@remote.test' }));
  t.match(await mailed.text(), 'Open it in this browser to connect “Desk Companion”');
  const link = await mailedLink(instance, 'owner@remote.test');
  const signedIn = await person.post(link, new URLSearchParams());
  t.same([signedIn.status, signedIn.headers.get('location')], [303, '/console/sign-in?done']);
  t.equal((await person.get('/console/sign-in?done')).headers.get('location'), path);
  t.notOk(
    [...person.cookies.keys()].some((key) => key.includes('next')),
    'once',
  );
  const opened = await person.get(path);
  const answer = await decide(person, { path, html: await opened.text() });
  t.equal(answer.origin + answer.pathname, REDIRECT);
  t.equal(answer.searchParams.get('state'), 'state-1');
  t.equal(answer.searchParams.get('iss'), instance.baseUrl);
  t.notOk(
    [...person.cookies.keys()].some((key) => key.includes('none')),
    'no session of another kind',
  );
  t.equal((await exchange(instance, clientId, answer.searchParams.get('code') ?? '', pkce)).status, 200);
  t.equal((await person.get(path)).status, 404, 'it was answered');

  // A planted cookie leads to no address of another's choice.
  for (const planted of [
    'https://evil.example/',
    '//evil.example',
    '/oauth/approve/../../evil',
    '/oauth/approve/x?y=z',
    'https://evil.example/#RXZpbA',
  ]) {
    const visitor = createPerson(instance);
    visitor.cookies.set('/ postroom_next', encodeURI(planted));
    await signIn(instance, visitor);
    const home = await visitor.get('/console/sign-in?done');
    t.equal(home.headers.get('location'), '/console/');
  }
  t.same(instance.faults, []);
});

t.test('it says who asks, for what, for which agents, and refuses as the RFC says', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);
  const { clientId } = await register(instance, { client_name: NAME });
  const approval = await openApproval(person, authorizeUrl(clientId, newPkce()));
  const { html, page } = approval;
  t.match(html, 'Let “&lt;img src=x onerror=alert(1)&gt; bad &amp; Co &lt;b&gt;” use your agents?');
  t.match(html, 'nobody has checked');
  t.match(html, '<strong><code>client.example</code></strong>');
  for (const scope of ['mail:read', 'mail:send', 'contacts', 'notes', 'offline_access']) {
    t.match(html, new RegExp(`value="${scope}" id="[\\w-]+" checked>`), scope);
  }
  t.match(html, /value="vault" id="scope-vault">/, 'unticked');
  for (const agent of ['ann', 'bob'])
    t.match(html, `id="agent-${agent}" data-handle="${agent}">`, 'the person chooses');
  t.match(html, 'id="agent-every">');
  t.match(html, 'X-Svc-Agent');
  t.notMatch(html, 'ends an hour after');
  t.match(html, 'owner@remote.test');
  t.notMatch(html, /<script(?! type="module" src="\/console\/assets\/)|onload|style=/);
  const policy = page.headers.get('content-security-policy');
  t.equal(
    policy,
    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'; script-src 'self'; connect-src 'self'",
  );
  t.same(
    [page.headers.get('cache-control'), page.headers.get('referrer-policy')],
    ['no-store, no-transform', 'no-referrer'],
  );

  const refused = await decide(person, approval, { decision: 'refuse' });
  t.equal(refused.origin + refused.pathname, REDIRECT);
  t.match(Object.fromEntries(refused.searchParams), {
    error: 'access_denied',
    state: 'state-1',
    iss: instance.baseUrl,
  });
  t.equal(refused.searchParams.get('code'), null);

  const few = await openApproval(person, authorizeUrl(clientId, newPkce(), { scope: 'mail:read openid profile' }));
  t.match(few.html, 'value="mail:read"');
  t.notMatch(few.html, /value="(mail:send|vault)"/, 'only what it asks for');
  t.match(few.html, /value="offline_access" id="[\w-]+" checked>/, 'and to stay, for which few ask');
  const brief = await register(instance, { grant_types: ['authorization_code'] });
  const { html: without } = await openApproval(person, authorizeUrl(brief.clientId, newPkce()));
  t.notMatch(without, 'value="offline_access"');
  t.match(without, 'ends an hour after you say yes', 'it cannot refresh');
  const silent = await openApproval(person, authorizeUrl(clientId, newPkce(), { scope: null }));
  t.match(silent.html, 'value="mail:send"');
  t.notMatch(silent.html, 'value="vault"', 'without a word of scopes: all but the vault');

  const app = await register(instance, { client_name: '\u200b', redirect_uris: ['com.example.app:/cb'] });
  const own = await openApproval(
    person,
    authorizeUrl(app.clientId, newPkce(), { redirect_uri: 'com.example.app:/cb' }),
  );
  t.match(own.html, 'An application without a name');
  const returned = locationOf(
    await person.get(
      locationOf(
        await person.post(
          own.path,
          new URLSearchParams([
            ['form', /name="form" value="([^"]+)"/.exec(own.html)?.[1] ?? ''],
            ['decision', 'refuse'],
          ]),
        ),
      ).href,
    ),
  );
  t.match(returned.href, /^com\.example\.app:\/cb\?.*error=access_denied/);

  await instance.addWorkspace('Second');
  await instance.addAgent('cleo', await instance.addWorkspace('Third'));
  const wide = await openApproval(person, authorizeUrl(clientId, newPkce()));
  t.match(wide.html, /cleo\s*<small>at once, Third<\/small>/, 'several workspaces are told apart');
  await decide(person, wide, { agents: ['ann', 'cleo'] });
  const granted = async (workspace: string) =>
    (await listActs(instance, workspace)).flatMap(({ action, detail }) =>
      action === 'connection.approve' ? [detail.agents] : [],
    );
  t.same(await granted('acme'), [['ann']], 'the log of each has its own agents');
  t.same(await granted('third'), [['cleo']]);
  t.same(await granted('second'), []);
  t.same(instance.faults, []);
});

t.test('a request is over when its time is, and in a browser that did not make it', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const person = await signIn(instance);
  const { clientId } = await register(instance);
  const { path } = await openApproval(person, authorizeUrl(clientId, newPkce()));
  t.equal((await (await signIn(instance)).get(path)).status, 404);
  t.equal((await person.get(path)).status, 200);
  clock.ahead = 61 * 60_000;
  t.equal((await person.get(path)).status, 404);
});

t.test('an owner sees what is connected, and cuts it off', async (t) => {
  await using instance = await startInstance();
  const { accessToken } = await connect(instance, { person: await signIn(instance) });
  const owner = await signInOwner(instance);
  const { connections } = (await owner.call('connections/list')).body;
  t.match(connections, [
    { client_name: 'Desk Companion', redirect_host: 'client.example', owner: 'owner@remote.test' },
  ]);
  const { id: connection_id } = connections[0];
  const crossSite = { 'sec-fetch-site': 'cross-site' };
  t.equal((await owner.call('connections/revoke', { connection_id }, 'acme', crossSite)).status, 403);
  t.equal((await createBrowser(instance.baseUrl).call('connections/revoke', { connection_id })).status, 401);
  const other = await instance.addWorkspace('Other');
  await asOperator(instance, (call) => call(owners.add, { email: 'other@remote.test', workspace: other.slug }));
  const stranger = await signInOwner(instance, 'other@remote.test');
  t.equal((await stranger.call('connections/revoke', { connection_id })).status, 404, "another workspace's owner");
  t.same((await stranger.call('connections/list')).body, { connections: [] });
  t.equal((await initialize(instance, { key: accessToken })).status, 200);
  t.match(await owner.call('connections/revoke', { connection_id }, 'acme'), { status: 200, body: { revoked: true } });
  t.equal((await initialize(instance, { key: accessToken })).status, 401);
  t.same((await owner.call('connections/list', {}, 'acme')).body, { connections: [] });
  t.equal((await owner.call('connections/revoke', { connection_id: 'nonsense' }, 'acme')).status, 404);
  t.match((await listActs(instance))[0], { action: 'connection.revoke', actor: 'owner@remote.test', via: 'console' });
  t.same(instance.faults, []);
});

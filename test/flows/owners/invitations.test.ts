/** A further owner is invited: until the mailed link is used, the address that somebody named is nobody's. */

import t from 'tap';
import { DAY, HOUR } from '../../../src/kernel/clock.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { createTestClock } from '../../harness/domains.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { OWNER, printedLink, signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { claim, linksMailedTo, mailedLink, signUp } from '../../harness/signups.ts';

const GUEST = 'guest@remote.test';
const { domains, owners } = contracts;

t.test('who is invited becomes an owner by the link alone, once', async (t) => {
  const clock = createTestClock();
  await using instance = await startInstance({ runtime: { clock } });
  const owner = await signInOwner(instance);
  t.match(await owner.call('invitations/add', { email: 'Guest@Remote.test' }), {
    status: 200,
    body: { email: GUEST, invited_by: OWNER },
  });
  const path = await mailedLink(instance, GUEST);
  const mail = instance.receiver.messages.find(({ rcptTo }) => rcptTo.includes(GUEST))?.raw.toString() ?? '';
  t.match(mail, /From: .*claims@|Subject: You are invited/, 'by the sender of claims');

  const guest = createBrowser(instance.baseUrl);
  await guest.post('/console/sign-in', { email: GUEST });
  t.equal(linksMailedTo(instance, GUEST).length, 1, 'no sign-in link goes to who is no owner');
  t.match(await owner.call('invitations/list', {}), { body: { invitations: [{ email: GUEST }] } });
  t.equal((await owner.call('owners/list', {})).body.owners.length, 1);
  t.match(await owner.call('owners/add', { email: GUEST }), { status: 404 }, 'the operator’s alone');

  const page = await guest.get(path);
  t.equal(page.status, 200);
  t.match(page.text, OWNER);
  t.match(page.text, /acme/);
  t.equal((await guest.get(path)).status, 200, 'looking decides nothing');
  t.equal((await guest.post(path)).status, 303);
  t.match((await guest.call('owners/list', {})).body.owners, [{ email: OWNER }, { email: GUEST }]);
  t.ok((await guest.call('owners/list', {})).body.owners[1].verified_at, 'the link proves the address');
  t.equal((await createBrowser(instance.baseUrl).post(path)).status, 410);
  t.match(await owner.call('invitations/list', {}), { body: { invitations: [] } });
  t.match(await owner.call('invitations/add', { email: GUEST }), { status: 409, body: { error: 'owner_exists' } });
  const acts = (await listActs(instance)).map(({ action }) => action);
  t.ok(acts.includes('owner.invite') && acts.includes('owner.join'));
  t.same(instance.faults, []);
});

t.test('an invitation ends: withdrawn, replaced, expired, with its inviter, with the workspace', async (t) => {
  const clock = createTestClock();
  await using instance = await startInstance({ runtime: { clock } });
  const owner = await signInOwner(instance);
  const visitor = createBrowser(instance.baseUrl);
  let count = 0;
  const invite = async (): Promise<string> => {
    clock.skip(HOUR);
    t.equal((await owner.call('invitations/add', { email: GUEST })).status, 200);
    count += 1;
    return mailedLink(instance, GUEST, count);
  };
  const first = await invite();
  const second = await invite();
  t.equal((await visitor.post(first)).status, 410, 'a later one replaces it');
  t.match(await owner.call('invitations/remove', { email: GUEST }), { body: { email: GUEST, withdrawn: true } });
  t.equal((await visitor.post(second)).status, 410);
  t.match(await owner.call('invitations/remove', { email: GUEST }), {
    status: 404,
    body: { error: 'invitation_not_found' },
  });
  const third = await invite();
  await asOperator(instance, (call) => call(owners.add, { email: 'second@remote.test', workspace: 'acme' }));
  await asOperator(instance, (call) => call(owners.remove, { email: OWNER, workspace: 'acme' }));
  t.equal((await visitor.post(third)).status, 410, 'who invited is no owner any more');
  await asOperator(instance, (call) => call(owners.add, { email: OWNER, workspace: 'acme' }));
  clock.skip(7 * DAY);
  t.equal((await visitor.post(third)).status, 410);
  t.match((await visitor.get(third)).text, /expired/);
  t.equal((await visitor.get('/invitation/unknown')).status, 404);
  t.same(instance.faults, []);
});

t.test('invitations are few: to an address, of a workspace; and none stays within the instance', async (t) => {
  const clock = createTestClock();
  await using instance = await startInstance({ runtime: { clock } });
  const owner = await signInOwner(instance);
  const add = (email: string) => owner.call('invitations/add', { email });
  for (let n = 0; n < 3; n += 1) t.equal((await add(GUEST)).status, 200);
  t.match(await add(GUEST), { status: 429, body: { error: 'invitation_limit_reached' } });
  for (let n = 0; n < 17; n += 1) t.equal((await add(`p${n}@remote.test`)).status, 200);
  t.match(await add('one-more@remote.test'), { status: 429 });
  t.match(await add(instance.agents.ann.address), { status: 400, body: { error: 'invalid_email' } });
  t.match(await add('nobody'), { status: 400 });
  t.same(instance.faults, []);
});

t.test('a machine that sends nothing mails no invitation and no claim, and says so', async (t) => {
  await using instance = await startInstance({ outbound: 'local_only = true' });
  const owner = await signInOwner(instance);
  t.match(await owner.call('invitations/add', { email: GUEST }), { status: 409, body: { error: 'mail_stays_here' } });
  const { claim_url } = await signUp(instance, { handle: 'pilot', email: GUEST });
  const page = await createBrowser(instance.baseUrl).post(new URL(claim_url).pathname);
  t.equal(page.status, 409);
  t.match(page.text, /postroom owners add/);
  const link = await printedLink(instance);
  const person = createBrowser(instance.baseUrl);
  t.equal((await person.post(link)).status, 303);
  const used = await person.post(link);
  t.equal(used.status, 410);
  t.match(used.text, /\.\/install\.sh --local prints a sign-in link, also while/);
  t.same(instance.faults, []);
});

t.test('who names a stranger as owner has no power over the stranger', async (t) => {
  const clock = createTestClock();
  await using instance = await startInstance({ runtime: { clock } });
  const mallory = createBrowser(instance.baseUrl);
  const signup = await signUp(instance, { handle: 'mallory', email: 'mallory@remote.test' });
  await claim(instance, mallory, signup, 'mallory@remote.test');
  t.equal((await mallory.call('invitations/add', { email: OWNER })).status, 200);
  // Before the days pass: a mail that still waited would be given up.
  await mailedLink(instance, OWNER);
  clock.skip(8 * DAY);
  const asMallory = { address: signup.address, key: signup.api_key } as never;
  await instance
    .client(asMallory)
    .domains.add({ domain: 'remote.test' })
    .catch(() => null);

  const victim = createBrowser(instance.baseUrl);
  await victim.post('/console/sign-in', { email: OWNER });
  const link = await mailedLink(instance, OWNER, 2);
  t.equal((await victim.post(link)).status, 303, 'is signed in by mail as before');
  const shown = (await victim.call('activity/list', {})).body.activity as { subject: string | null }[];
  t.notOk(shown.some(({ subject }) => subject === 'mallory'));
  const theirs = (await mallory.call('activity/list', {})).body.activity as { actor: string }[];
  t.notOk(
    theirs.some(({ actor }) => actor === OWNER),
    'what the stranger does elsewhere is not told',
  );
  t.same((await mallory.call('connections/list', {})).body.connections, []);
  t.same((await asOperator(instance, (call) => call(domains.list, { workspace: 'acme' }))).domains.length, 1);
  t.same(instance.faults, []);
});

t.test(
  'who owns a workspace already joins by the link, which is open for days, and is not signed in by it',
  async (t) => {
    const clock = createTestClock();
    await using instance = await startInstance({ runtime: { clock } });
    const other = createBrowser(instance.baseUrl);
    const signup = await signUp(instance, { handle: 'pilot', email: 'other@remote.test' });
    await claim(instance, other, signup, 'other@remote.test');
    t.equal((await other.call('invitations/add', { email: OWNER })).status, 200);
    const path = await mailedLink(instance, OWNER);
    const owner = await signInOwner(instance);
    t.match((await owner.call('session/end', { everywhere: true })).body, { ended: true });
    clock.skip(6 * DAY);

    const holder = createBrowser(instance.baseUrl);
    const page = await holder.get(path);
    t.same(page.forms[0]?.buttons, ['Join']);
    t.match(page.text, /You sign in as before/);
    const pressed = await holder.post(path);
    t.match([pressed.status, pressed.headers.get('location')], [303, '/console/sign-in']);
    t.equal((await holder.call('session/get', {})).status, 401, 'the workspace that was owned before stays closed');
    await holder.post('/console/sign-in', { email: OWNER });
    await holder.post(await mailedLink(instance, OWNER, 2));
    t.equal((await holder.call('session/get', {})).body.workspaces.length, 2, 'and both are open after signing in');
    t.same(instance.faults, []);
  },
);

t.test(
  'a link that was mailed before lets nobody in again who was removed since; nor does an old session',
  async (t) => {
    await using instance = await startInstance();
    const owner = await signInOwner(instance);
    t.equal((await owner.call('invitations/add', { email: GUEST })).status, 200);
    const path = await mailedLink(instance, GUEST);
    const add = () => asOperator(instance, (call) => call(owners.add, { email: GUEST as never, workspace: 'acme' }));
    await add();
    const guest = createBrowser(instance.baseUrl);
    const printed = await asOperator(instance, (call) => call(owners.addSignInLink, { email: GUEST as never }));
    await guest.post(new URL(printed.url).pathname);
    t.equal((await guest.call('owners/list', {})).status, 200);
    t.equal((await owner.call('owners/remove', { email: GUEST })).status, 200);
    t.equal((await createBrowser(instance.baseUrl).post(path)).status, 410);
    await add();
    t.equal((await guest.call('owners/list', {})).status, 401);
    t.same(instance.faults, []);
  },
);

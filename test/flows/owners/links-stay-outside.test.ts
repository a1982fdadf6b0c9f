/** A link that signs an owner in is read outside the instance, or is worth nothing. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { parseDomain } from '../../../src/kernel/address.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { type Domain, insertDomain } from '../../../src/store/accounts/domains.ts';
import { addVerified } from '../../harness/domains.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { linksMailedTo, mailedLink, signUp } from '../../harness/signups.ts';
import { eventually, refusalOf } from '../../harness/smtp/send-mail.ts';

const OWNER = 'owner@remote.test';
const { agents, domains, owners, queue: queues, workspaces } = contracts;

/** As a workspace has it by its own checks of some days. */
const insertCustom = (instance: TestInstance, workspace: string, status: Domain['status']): Promise<void> =>
  instance.inStore(async (store) => {
    const { id: workspaceId } = await asOperator(instance, (call) => call(workspaces.get, { workspace }));
    const name = parseDomain('remote.test');
    if (!name) throw new Error('No domain.');
    const id = createIdSource(systemClock, randomBytes)<'domain'>();
    const times = { verifiedAt: status === 'pending' ? null : 1, lastCheckedAt: Date.now(), createdAt: Date.now() };
    const row = { id, workspaceId: workspaceId as never, name, kind: 'custom' as const, status, ...times };
    await store.write((tx) => insertDomain(tx, row, []));
  });

const removeDomain = (instance: TestInstance, workspace: string) =>
  asOperator(instance, (call) => call(domains.remove, { domain: 'remote.test', workspace }));

t.test(
  'a domain that the instance receives for has no link mailed to it; a pending claim changes nothing',
  async (t) => {
    await using instance = await startInstance();
    const browser = createBrowser(instance.baseUrl);
    const askFor = async () => {
      const { status } = await browser.post('/console/sign-in', { email: OWNER });
      t.equal(status, 200, 'as for any address');
    };
    await signUp(instance, { handle: 'stranger', email: 'm@elsewhere.test' });
    await insertCustom(instance, 'stranger', 'pending');
    await askFor();
    const link = await mailedLink(instance, OWNER);
    t.match((await browser.get(link)).text, OWNER, 'the page says whom it signs in');

    await insertCustom(instance, 'acme', 'pending');
    t.match((await browser.get(link)).text, OWNER, 'nor one of the own workspace');
    await removeDomain(instance, 'acme');
    await insertCustom(instance, 'acme', 'failing');
    await askFor();
    const refused = await browser.post(link);
    t.equal(refused.status, 409);
    t.match(refused.text, /an agent may read it/);
    await removeDomain(instance, 'acme');
    await eventually(async () => instance.warned.find(({ message }) => message === 'an owner could not be told'));
    t.equal(linksMailedTo(instance, OWNER).length, 1);
    t.equal((await browser.post(link)).status, 303, 'nobody else could have read it');
    t.same(instance.faults, []);
  },
);

t.test('a link under way when mailboxes begin to receive at its domain is worth nothing, then and later', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const browser = createBrowser(instance.baseUrl);
  const { claim_url } = await signUp(instance, { handle: 'selfie', email: 'm@remote.test' });
  await browser.post('/console/sign-in', { email: OWNER });
  await browser.post(new URL(claim_url).pathname);
  const links = [await mailedLink(instance, OWNER), await mailedLink(instance, 'm@remote.test')];
  const printed = await asOperator(instance, (call) => call(owners.addSignInLink, { email: OWNER as never }));
  await addVerified(instance, ann, 'remote.test');
  for (const link of links) t.equal((await browser.get(link)).status, 409);
  await removeDomain(instance, 'acme');
  for (const link of links) t.equal((await browser.post(link)).status, 410);
  t.equal((await browser.post(new URL(printed.url).pathname)).status, 303, 'no agent has read a printed one');
  t.same(instance.faults, []);
});

t.test('no mailbox takes mail of the instance to owners, by SMTP or within it', async (t) => {
  const later = () => ({ code: 451, text: '4.3.0 Later' });
  await using instance = await startInstance({ receiver: { onRcpt: later } });
  const { ann } = instance.agents;
  const headers = { From: 'Postroom <NoReply@agents.box.test>' };
  t.match(await refusalOf(instance.smtpPort, { to: [ann.address], headers }), /^550 5\.7\.1 .*to owners/);

  const email = 'lead+mail@remote.test' as never;
  await asOperator(instance, (call) => call(owners.add, { email, workspace: 'acme' }));
  await createBrowser(instance.baseUrl).post('/console/sign-in', { email });
  const deferred = await eventually(async () => {
    const { queue } = await asOperator(instance, (call) => call(queues.list, {}));
    return queue.find(({ last_response }) => last_response !== null);
  });
  await addVerified(instance, ann, 'remote.test');
  const agent = { handle: 'lead', workspace: 'acme', domain: 'remote.test' };
  const { address } = await asOperator(instance, (call) => call(agents.add, agent));
  t.equal(address, 'lead@remote.test');
  await asOperator(instance, (call) => call(queues.retry, { delivery_id: deferred.id }));
  await eventually(async () => instance.warned.find(({ message }) => message === 'mail to an owner bounced'));
  const received = (await instance.events()).filter(({ name }) => name === 'message.received');
  t.same(received, []);
  t.same(instance.faults, []);
});

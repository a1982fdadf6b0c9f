/** No agent is made its own owner by an address that it reads. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { parseDomain } from '../../../src/kernel/address.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { insertDomain } from '../../../src/store/accounts/domains.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator, operatorRefusal } from '../../harness/operator.ts';
import { claim, postSignup, signUp } from '../../harness/signups.ts';

const { owners, workspaces } = contracts;

t.test('an owner has an address elsewhere', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const taken = { error: 'invalid_email', hint: /an address of this service/ };
  for (const email of [
    ann.address,
    'Selfie@selfie.agents.box.test',
    'x@agents.box.test',
    'tmp-1@acme.agents.box.test',
  ]) {
    const response = await postSignup(instance, { handle: 'selfie', email });
    t.equal(response.status, 400, email);
    t.match(await response.json(), taken);
  }
  const email = ann.address as never;
  t.match(await operatorRefusal(instance, (call) => call(owners.add, { email, workspace: 'acme' })), {
    code: 'invalid_email',
  });
  const add = { name: 'Other', owner_email: ann.address, plan: 'free' };
  t.match(await operatorRefusal(instance, (call) => call(workspaces.add, add)), { code: 'invalid_email' });
  t.equal((await postSignup(instance, { handle: 'selfie', email: 'x@notagents.box.test' })).status, 201, 'a neighbour');
  t.same(instance.faults, []);
});

t.test('an address of a domain that became an own one is mailed no link', async (t) => {
  await using instance = await startInstance();
  const [claimed, unclaimed] = [
    await signUp(instance, { handle: 'one', email: 'm@remote.test' }),
    await signUp(instance, { handle: 'two', email: 'm@remote.test' }),
  ];
  const browser = createBrowser(instance.baseUrl);
  t.equal((await claim(instance, browser, claimed, 'm@remote.test')).status, 303);
  const before = instance.receiver.messages.length;
  await instance.inStore(async (store) => {
    const name = parseDomain('remote.test');
    const { id: workspaceId } = await asOperator(instance, (call) => call(workspaces.get, { workspace: 'acme' }));
    if (!name) throw new Error('No domain.');
    const id = createIdSource(systemClock, randomBytes)<'domain'>();
    const times = { verifiedAt: 1, lastCheckedAt: 1, createdAt: 1 };
    const row = { id, workspaceId: workspaceId as never, name, kind: 'custom' as const, status: 'verified' as const };
    await store.write((tx) => insertDomain(tx, { ...row, ...times }, []));
  });
  t.equal((await browser.post(new URL(unclaimed.claim_url).pathname)).status, 409);
  t.equal((await browser.post('/console/sign-in', { email: 'm@remote.test' })).status, 200, 'as for any address');
  await instance.daemon.jobs.runAll();
  t.same(
    (await instance.events()).filter(({ name }) => name === 'message.received'),
    [],
    'nothing was mailed into a mailbox',
  );
  t.equal(instance.receiver.messages.length, before);
  t.same(instance.faults, []);
});

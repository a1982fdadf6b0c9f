/** What nobody is told, and what no link opens, once there is no owner or none has proven the address. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator, operatorRefusal } from '../../harness/operator.ts';
import { linksMailedTo, postSignup, signUp } from '../../harness/signups.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const { agents, heldMail, owners, queue, workspaces } = contracts;

const holdOne = async (instance: TestInstance, agent: { handle: string; address: string; key: string }) => {
  await asOperator(instance, (call) => call(agents.hold, { agent: agent.handle, hold: true }));
  const body = { to: ['a@peer.test'], subject: 'Hi', body: 'Hi' };
  const { pendingId } = (await (await instance.request(agent, 'POST', '/v1/messages', body)).json()) as {
    pendingId: string;
  };
  return pendingId;
};

t.test('nothing is left for the owner of a removed workspace', async (t) => {
  await using instance = await startInstance({ receiver: { onRcpt: () => ({ code: 451, text: '4.3.0 Not now' }) } });
  const email = 'last@remote.test' as never;
  const add = { name: 'Gone', owner_email: email, plan: 'unlimited', verified: true };
  await asOperator(instance, (call) => call(workspaces.add, add));
  const carl = await asOperator(instance, (call) => call(agents.add, { handle: 'carl', workspace: 'gone' }));
  const pending_id = await holdOne(instance, { ...carl, key: carl.api_key });
  const waiting = () =>
    asOperator(instance, async (call) =>
      (await call(queue.list, {})).queue.filter(({ status }) => status === 'deferred'),
    );
  await eventually(async () => (await waiting()).length === 1);
  const printed = await asOperator(instance, (call) => call(owners.addSignInLink, { email }));

  await asOperator(instance, (call) => call(workspaces.remove, { workspace: 'gone' }));
  t.same(await waiting(), [], 'the notice that was under way is cancelled');
  t.match(await operatorRefusal(instance, (call) => call(heldMail.approve, { pending_id })), {
    code: 'pending_not_found',
  });
  const browser = createBrowser(instance.baseUrl);
  t.equal((await browser.post(new URL(printed.url).pathname)).status, 404);
  t.equal((await browser.post('/console/sign-in', { email })).status, 200);
  await instance.daemon.jobs.runAll();
  t.same(await waiting(), [], 'and no link is mailed');
  t.same(instance.faults, []);
});

t.test(
  'an address that a signup named is mailed claims alone, also once the operator lets the workspace send',
  async (t) => {
    await using instance = await startInstance();
    const {
      handle,
      address,
      api_key: key,
      claim_url,
    } = await signUp(instance, { handle: 'solo', email: 'm@remote.test' });
    await asOperator(instance, (call) => call(workspaces.verify, { workspace: 'solo' }));
    await holdOne(instance, { handle, address, key });
    t.match(await sendMail(instance.smtpPort, { to: ['postmaster@solo.agents.box.test'] }), /^250/);
    await instance.daemon.jobs.runAll();
    t.equal((await createBrowser(instance.baseUrl).post(new URL(claim_url).pathname)).status, 200);
    await instance.receiver.waitFor(1);
    t.equal(linksMailedTo(instance, 'm@remote.test').length, 1);
    t.equal(instance.receiver.messages.length, 1);
    t.same(instance.faults, []);
  },
);

t.test('a signup has no name in which characters are that are not seen', async (t) => {
  await using instance = await startInstance();
  for (const hidden of ['\u202e', '\u2066', '\u200f', '\u061c', '\ufeff', '\u0007', '\u0085']) {
    for (const field of ['workspace_name', 'description']) {
      const response = await postSignup(instance, { handle: 'solo', [field]: `Fjord${hidden}Bank` });
      t.match([response.status, await response.json()], [400, { error: 'invalid_request' }], JSON.stringify(hidden));
    }
    const named = { display_name: `Ann${hidden}B` };
    t.equal((await instance.request(instance.agents.ann, 'PATCH', '/v1/identity', named)).status, 400);
  }
  const fine = { handle: 'solo', workspace_name: 'بنك فيورد', description: 'One.\nTwo.' };
  t.equal((await postSignup(instance, fine)).status, 201);
});

/** `[outbound] local_only`: mail between the agents of an instance, and none to elsewhere, whichever way it would go. */

import t from 'tap';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';

t.test('a mail to elsewhere is refused, and nobody is suppressed', async (t) => {
  await using instance = await startInstance({ outbound: 'local_only = true' });
  const workspace = await instance.addWorkspace('acme');
  const [bea, ben] = [await instance.addAgent('bea', workspace), await instance.addAgent('ben', workspace)];
  const send = async (to: string[], more: object = {}) => {
    const response = await instance.request(bea, 'POST', '/v1/messages', { to, subject: 'Hi', body: 'Hi', ...more });
    return { status: response.status, body: await response.json() };
  };
  t.equal((await send([ben.address])).status, 200);
  const refused = { status: 422, body: { status: 'rejected', reason: 'local_mode' } };
  t.match(await send(['a@remote.test']), refused);
  t.match(await send([ben.address, 'a@remote.test']), refused, 'one recipient elsewhere is enough');
  t.match(await send([ben.address], { bcc: ['a@remote.test'] }), refused);
  t.same(await send(['a@REMOTE.test.']).then(({ status }) => status >= 400), true);

  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'bea', hold: true }));
  t.equal((await send([ben.address])).status, 202);
  t.match(await send(['a@remote.test']), refused, 'before a person is asked');
  await instance.restart();
  t.equal(instance.receiver.messages.length, 0, 'nor is the owner written to');
  t.same(instance.faults, []);
});

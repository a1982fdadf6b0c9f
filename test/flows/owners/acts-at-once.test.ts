/** Acts of persons at the same time: each finds what it acts on as it is at its commit, or is refused. */

import t from 'tap';
import type { CallOperation } from '../../../src/app/operator-calls.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { startInstance } from '../../harness/instance.ts';
import { addSecret, asOperator, listActs } from '../../harness/operator.ts';

const { agents, keys, owners, secrets, workspaces } = contracts;

const instance = await startInstance();
t.teardown(() => instance[Symbol.asyncDispose]());

/** What became of calls that began together: `done`, or the code of the refusal. */
const atOnce = (begin: (call: CallOperation) => Promise<unknown>[]): Promise<string[]> =>
  asOperator(instance, async (call) =>
    (await Promise.allSettled(begin(call))).map((result) => {
      if (result.status === 'fulfilled') return 'done';
      if (result.reason instanceof ApiError) return result.reason.code;
      throw result.reason;
    }),
  );
const acme = { workspace: 'acme' };

t.test('of two removals of an agent one is done', async (t) => {
  await instance.addAgent('carl');
  const removed = await atOnce((call) => [
    call(agents.remove, { agent: 'carl' }),
    call(agents.remove, { agent: 'carl' }),
  ]);
  t.same(removed.sort(), ['agent_not_found', 'done']);
  t.equal((await listActs(instance)).filter(({ action }) => action === 'agent.remove').length, 1);
});

t.test('a removed agent gets no key, no secret and no hold', async (t) => {
  await instance.addAgent('dora');
  await addSecret(instance, 'Shop', 'api_key', { key: 'a-key-of-the-shop' });
  const value = { key: 'another-key-of-a-shop' };
  t.same(
    await atOnce((call) => [
      call(agents.remove, { agent: 'dora' }),
      call(keys.add, { agent: 'dora', name: 'second' }),
      call(agents.hold, { agent: 'dora', hold: true }),
      call(secrets.grant, { ...acme, secret: 'Shop', agent: 'dora' }),
      call(secrets.add, { ...acme, name: 'Other', type: 'api_key', value, grants: ['dora'] }),
    ]),
    ['done', ...Array.from({ length: 4 }, () => 'agent_not_found')],
  );
});

t.test('of two workspaces with one name one is made', async (t) => {
  const wanted = { name: 'Twins', owner_email: 'twin@remote.test', plan: 'pro', verified: true };
  const made = await atOnce((call) => [call(workspaces.add, wanted), call(workspaces.add, wanted)]);
  t.same(made.sort(), ['done', 'workspace_exists']);
});

t.test('a removed workspace gets no agent, no owner and no plan', async (t) => {
  const { slug: workspace } = await instance.addWorkspace('Ending');
  t.same(
    await atOnce((call) => [
      call(workspaces.remove, { workspace }),
      call(agents.add, { workspace, handle: 'emil' }),
      call(owners.add, { workspace, email: 'new@remote.test' }),
      call(workspaces.setPlan, { workspace, plan: 'pro' }),
      call(workspaces.pause, { workspace }),
    ]),
    ['done', ...Array.from({ length: 4 }, () => 'workspace_not_found')],
  );
});

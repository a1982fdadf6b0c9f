import t from 'tap';
import type { Caller } from '../../../../src/kernel/caller.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { openPersons } from './tenant.ts';

const OPERATOR: Caller = { kind: 'operator', name: 'cli:test' };
const { agents, workspaces } = contracts;

t.test("an owner's agents are counted by the plan, the operator's are not refused", async (t) => {
  const persons = await openPersons(t);
  const { workspaceId, targets } = await persons.addTenant();
  const owner: Caller = { kind: 'owner', workspaceId, name: 'owner:o@remote.test' };
  await persons.call(workspaces.setPlan, OPERATOR, { workspace: targets.workspace, plan: 'free' });
  const add = (caller: Caller, handle: string) =>
    persons.call(agents.add, caller, { handle, workspace: targets.workspace });
  for (const handle of ['second', 'third']) await add(owner, handle);
  await t.rejects(add(owner, 'fourth'), { code: 'mailbox_limit_reached', fields: { included: 3, used: 3 } });
  t.match(await add(OPERATOR, 'fourth'), { handle: 'fourth' });
  await persons.call(workspaces.setPlan, OPERATOR, { workspace: targets.workspace, plan: 'pro' });
  t.match(await add(owner, 'fifth'), { handle: 'fifth' });
});

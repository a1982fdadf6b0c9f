/** The refusals that owners and the operator alone are answered with. */

import t from 'tap';
import type { Caller } from '../../../../src/kernel/caller.ts';
import { type ErrorCode, hintOf } from '../../../../src/kernel/errors.ts';
import type { Operation } from '../../../../src/kernel/operation.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { openPersons } from './tenant.ts';

const OPERATOR: Caller = { kind: 'operator', name: 'cli:test' };
const NONE = '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40';
const { workspaces, agents, keys, domains, heldMail, queue, secrets } = contracts;

t.test('what is not there, and what has been done already', async (t) => {
  const persons = await openPersons(t);
  const tenant = await persons.addTenant();
  const { targets } = tenant;
  const refuse = async (operation: Operation, input: object, code: ErrorCode) => {
    await t.rejects(
      persons.call(operation, OPERATOR, input),
      { code, hint: hintOf(code) },
      `${operation.name}: ${code}`,
    );
  };
  const run = (operation: Operation, input: object) => persons.call(operation, OPERATOR, input);
  const { workspace, agent, key_id, pending_id, delivery_id } = targets;

  await refuse(workspaces.get, { workspace: 'nowhere' }, 'workspace_not_found');
  const ownedBy = { owner_email: 'o@remote.test', plan: 'unlimited', verified: true };
  for (const name of ['A+B', 'a-b']) await run(workspaces.add, { ...ownedBy, name });
  await refuse(workspaces.get, { workspace: 'a-b' }, 'workspace_ambiguous');
  await refuse(workspaces.add, { ...ownedBy, name: String(workspace).toUpperCase() }, 'workspace_exists');
  await refuse(workspaces.resume, { workspace }, 'workspace_not_restrained');
  await run(workspaces.pause, { workspace, reason: 'testing' });
  await refuse(workspaces.pause, { workspace, reason: 'testing' }, 'workspace_already_paused');

  const { owners } = contracts;
  const { email } = targets;
  await refuse(owners.add, { workspace, email }, 'owner_exists');
  await refuse(owners.remove, { workspace, email: 'nobody@remote.test' }, 'owner_not_found');
  await run(owners.remove, { workspace, email });
  await refuse(owners.remove, { workspace, email }, 'owner_not_found');
  await refuse(owners.remove, { workspace, email: 'first-1@remote.test' }, 'last_owner');
  await refuse(owners.addSignInLink, { email: 'nobody@remote.test' }, 'owner_not_found');
  await refuse(owners.add, { workspace, email: 'nobody' }, 'invalid_email');

  await refuse(agents.get, { agent: 'nobody' }, 'agent_not_found');
  await refuse(domains.records, { domain: 'nowhere.test' }, 'domain_not_found');

  await refuse(keys.revoke, { key_id: NONE }, 'key_not_found');
  await run(keys.revoke, { key_id });
  await refuse(keys.revoke, { key_id }, 'key_already_revoked');
  await refuse(keys.add, { agent: `${agent}x`, name: 'k', scopes: null, expires_at: null }, 'agent_not_found');

  await refuse(heldMail.get, { pending_id: NONE }, 'pending_not_found');
  await run(heldMail.reject, { pending_id, note: null });
  await refuse(heldMail.approve, { pending_id, note: null }, 'held_mail_already_decided');

  const { secret } = targets;
  const value = { key: 'a value' };
  await refuse(secrets.change, { workspace, secret: 'nothing', value }, 'secret_not_found');
  await refuse(secrets.add, { workspace, name: String(secret).toUpperCase(), type: 'api_key', value }, 'secret_exists');
  await run(secrets.ungrant, { workspace, secret, agent });
  await refuse(secrets.ungrant, { workspace, secret, agent }, 'secret_not_granted');
  const other = await persons.addTenant();
  await refuse(secrets.grant, { workspace, secret, agent: other.targets.agent }, 'agent_not_found');
  await run(secrets.add, { workspace: other.targets.workspace, name: String(secret), type: 'api_key', value });
  await refuse(secrets.remove, { secret }, 'secret_ambiguous');
  await persons.fillVault(tenant.workspaceId);
  await refuse(secrets.add, { workspace, name: 'one more', type: 'api_key', value }, 'secret_limit_reached');

  await refuse(queue.get, { delivery_id: NONE }, 'delivery_not_found');
  await run(queue.cancel, { delivery_id });
  await refuse(queue.cancel, { delivery_id }, 'delivery_not_waiting');
});

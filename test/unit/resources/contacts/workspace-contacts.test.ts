import t from 'tap';
import type { Caller } from '../../../../src/kernel/caller.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { openPersons, type Tenant } from '../persons/tenant.ts';

const ownerOf = ({ workspaceId }: Tenant): Caller => ({ kind: 'owner', workspaceId, name: 'owner:o@remote.test' });
const { contacts, contactLists } = contracts;

t.test("a person's ids of another workspace are not found", async (t) => {
  const persons = await openPersons(t);
  const [own, foreign] = [await persons.addTenant(), await persons.addTenant()];
  const { contact_id: id, survivor_id, contact_ids, list_id } = foreign.targets;
  const refuse = (
    operation: Parameters<typeof persons.call>[0],
    input: object,
    code: 'contact_not_found' | 'list_not_found',
  ) => t.rejects(persons.call(operation, ownerOf(own), input), { code }, operation.name);
  await refuse(contacts.get, { id }, 'contact_not_found');
  await refuse(contacts.update, { id, given_name: 'X' }, 'contact_not_found');
  await refuse(contacts.remember, { id, fact: 'X' }, 'contact_not_found');
  await refuse(contacts.remove, { id }, 'contact_not_found');
  await refuse(contacts.merge, { survivor_id, loser_id: own.targets.loser_id }, 'contact_not_found');
  await refuse(contactLists.get, { id: list_id }, 'list_not_found');
  await refuse(contactLists.addMembers, { id: own.targets.list_id, contact_ids }, 'contact_not_found');
});

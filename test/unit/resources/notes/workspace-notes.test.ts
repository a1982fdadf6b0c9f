import t from 'tap';
import type { Caller } from '../../../../src/kernel/caller.ts';
import { ApiError } from '../../../../src/kernel/errors.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { openPersons, type Tenant } from '../persons/tenant.ts';

const ownerOf = ({ workspaceId }: Tenant): Caller => ({ kind: 'owner', workspaceId, name: 'owner:o@remote.test' });
const { notes } = contracts;

t.test('a person says which agents read a note', async (t) => {
  const persons = await openPersons(t);
  const [own, foreign] = [await persons.addTenant(), await persons.addTenant()];
  const call = (operation: Parameters<typeof persons.call>[0], input: object) =>
    persons.call(operation, ownerOf(own), input);
  const { note_id: id, agent } = own.targets;
  t.match(await call(notes.get, { id }), { agents: null });
  t.match(await call(notes.grant, { id, agents: [agent] }), { agents: [agent] });
  t.match(await call(notes.list, {}), { notes: [{ id, agents: [agent] }], next_cursor: null });
  await t.rejects(call(notes.grant, { id, agents: [foreign.targets.agent] }), new ApiError('agent_not_found'));
  await t.rejects(call(notes.grant, { id, agents: ['nobody'] }), new ApiError('agent_not_found'));
  t.match(await call(notes.get, { id }), { agents: [agent] }, 'a refused grant changes nothing');
  t.match(await call(notes.grant, { id, agents: [] }), { agents: [] });
  t.match(await call(notes.grant, { id, agents: null }), { agents: null });
  await t.rejects(
    call(notes.get, { id: foreign.targets.note_id }),
    new ApiError('note_not_found_or_not_granted'),
    'the id of another workspace',
  );
  t.match(await call(notes.update, { id, title: 'T' }), { title: 'T', agents: null });
});

/** What holds for every operation of a person, whatever it does. A new one is covered by being in the list. */

import t from 'tap';
import { type Caller, SCOPES } from '../../../../src/kernel/caller.ts';
import { ApiError } from '../../../../src/kernel/errors.ts';
import type { Operation } from '../../../../src/kernel/operation.ts';
import { fieldsOf as schemaFieldsOf } from '../../../../src/kernel/schema-walk.ts';
import { agentContracts } from '../../../../src/resources/agent-contracts.ts';
import { personContracts } from '../../../../src/resources/person-contracts.ts';
import { agentCaller } from '../../../harness/caller.ts';
import { openPersons, type Persons, type Tenant } from './tenant.ts';

const all: Operation[] = Object.values(personContracts).flatMap((contract) => Object.values<Operation>(contract));
const owners = all.filter(({ audience }) => audience.includes('owner'));

const OPERATOR: Caller = { kind: 'operator', name: 'cli:test' };
const ownerOf = ({ workspaceId }: Tenant): Caller => ({ kind: 'owner', workspaceId, name: 'owner:o@remote.test' });

/** Values of fields that name nothing. One that is missing here and is required fails the test. */
const PLAIN: Readonly<Record<string, unknown>> = {
  handle: 'newcomer',
  name: 'a key',
  match: 'domain',
  value: 'y.test',
  action: 'allow',
  filter_mode: 'whitelist',
  type: 'api_key',
  given_name: 'Dave',
  fact: 'Likes tea.',
  title: 'Tea',
  body: 'Green.',
  agents: null,
  csv: 'dave@remote.test',
  vcard: 'BEGIN:VCARD\nFN:Dave\nEND:VCARD',
  format: 'vcard',
  q: 'tea',
  beginning: 'd',
  mails: [],
  ...{ imported: 1, duplicates: 0, refused: 0, complete: true, exported: 1 },
};

/** Of operations that take more than what names a thing. */
const INPUTS: Readonly<Record<string, object>> = {
  add_secret: { value: { key: 'another value' } },
  change_secret: { value: { key: 'another value' } },
  add_workspace: { name: 'Newcomers', owner_email: 'o@remote.test', plan: 'unlimited' },
  set_plan: { plan: 'free' },
  add_owner: { email: 'newcomer@remote.test' },
  add_workspace_source: { kind: 'text' },
  add_workspace_domain: { domain: 'newcomer.example' },
};

/** What these are refused with where no resolver answers (test/flows/domains has one). */
const EXPECTED: Readonly<Record<string, string>> = {
  rotate_dkim: 'dkim_key_not_published',
  // What is released here goes at once.
  undo_held_approval: 'held_mail_already_decided',
};

/** Names what an operation acts on by its id, its handle or its workspace. */
const NAMING = [
  ...['agent', 'key_id', 'connection_id', 'pending_id', 'delivery_id', 'webhook_id', 'domain', 'workspace'],
];

const fieldsOf = ({ input }: Operation): string[] => Object.keys(schemaFieldsOf(input));
const namingFieldOf = (operation: Operation) => NAMING.find((name) => fieldsOf(operation).includes(name));

/** All its fields, of this tenant where they name something; the rest of `omitted` is left out. */
const inputFor = (operation: Operation, { targets }: Tenant, omitted: readonly string[] = []): object => ({
  ...Object.fromEntries(
    fieldsOf(operation)
      .filter((name) => !omitted.includes(name))
      .flatMap((name) => (name in targets ? [[name, targets[name]]] : name in PLAIN ? [[name, PLAIN[name]]] : [])),
  ),
  ...INPUTS[operation.name],
});

/** Whoever lists these names a workspace, or has one. */
const { suppressions, contacts, contactLists, contactExchange, notes, knowledge } = personContracts;
const ofOneWorkspace = new Set<Operation>([
  personContracts.webhooks.list,
  ...[suppressions, contacts, contactLists, contactExchange, notes, knowledge].flatMap((contract) =>
    Object.values<Operation>(contract),
  ),
]);

/** What the agents of a workspace write down and share: no one's rights. Mail of a file is recorded once it is in. */
const isContent = (operation: Operation): boolean =>
  operation === personContracts.mailTransfer.import ||
  [contacts, contactLists, contactExchange, notes, knowledge].some((contract) =>
    Object.values<Operation>(contract).includes(operation),
  );

const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    return `answered ${JSON.stringify(await work)}`;
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};

const callAs = (persons: Persons, operation: Operation, caller: Caller, input: object) =>
  refusalOf(persons.call(operation, caller, input));

const mentions = (text: string, { workspaceId, targets }: Tenant): boolean =>
  [workspaceId, ...Object.values(targets).flat()].some((value) => text.includes(`"${value}"`));

t.test('no API key may call one, whatever its scopes', async (t) => {
  const persons = await openPersons(t);
  const tenant = await persons.addTenant();
  const agent = agentCaller({ workspaceId: tenant.workspaceId, scopes: new Set(SCOPES) });
  for (const operation of all) {
    t.equal(await callAs(persons, operation, agent, inputFor(operation, tenant)), 'insufficient_scope', operation.name);
  }
});

t.test('none is an operation of agents, and none has a route', (t) => {
  const agents: Operation[] = Object.values(agentContracts).flatMap((each) => Object.values<Operation>(each));
  for (const { name, audience } of agents) t.same(audience, ['agent'], name);
  for (const operation of all) {
    t.notOk(operation.audience.includes('agent') || 'path' in operation || operation.tool, operation.name);
    t.notOk(agents.includes(operation), operation.name);
  }
  t.equal(new Set(all.map(({ name }) => name)).size, all.length, 'each has a name of its own');
  t.end();
});

t.test("an owner is refused what is the operator's alone", async (t) => {
  const persons = await openPersons(t);
  const tenant = await persons.addTenant();
  const operators = all.filter((operation) => !owners.includes(operation));
  t.ok(operators.length > 0);
  for (const operation of operators) {
    t.equal(
      await callAs(persons, operation, ownerOf(tenant), inputFor(operation, tenant)),
      'insufficient_scope',
      operation.name,
    );
  }
});

t.test('an owner reaches its own workspace alone', async (t) => {
  const persons = await openPersons(t);
  const own = await persons.addTenant();
  for (const operation of owners) {
    const field = namingFieldOf(operation);
    if (field === undefined) continue;
    const foreign = await persons.addTenant();
    const input = inputFor(operation, foreign);
    t.match(await callAs(persons, operation, ownerOf(own), input), /^\w+_not_found$/, `${operation.name} of another`);
    if (operation === personContracts.workspaces.resume) {
      await persons.call(personContracts.workspaces.pause, OPERATOR, { workspace: foreign.targets.workspace });
    }
    const expected = EXPECTED[operation.name] ?? /^answered/;
    t.match(await callAs(persons, operation, ownerOf(foreign), input), expected, `${operation.name} of its own`);
  }
});

/** Brings about what the operation changes: a call that changes nothing is not recorded. @returns more of its input */
const prepareFor = async ({ call }: Persons, operation: Operation, { targets }: Tenant): Promise<object> => {
  const { workspaces, agents } = personContracts;
  if (operation === workspaces.resume) await call(workspaces.pause, OPERATOR, { workspace: targets.workspace });
  if (operation === agents.resume) await call(agents.suspend, OPERATOR, { agent: targets.agent });
  if (operation !== workspaces.verify) return {};
  const unproven = { name: 'Unproven', owner_email: 'o@remote.test', plan: 'unlimited' };
  const { slug } = (await call(workspaces.add, OPERATOR, unproven)) as { slug: string };
  return { workspace: slug };
};

t.test('each that changes something is in the activity log, and no other', async (t) => {
  const persons = await openPersons(t);
  const newest = async () => {
    const { activity } = (await persons.call(personContracts.activity.list, OPERATOR, { limit: 1 })) as {
      activity: { id: string; action: string; actor: string; via: string }[];
    };
    return activity[0];
  };
  const reads = all.filter(({ name }) => /^(?:list|find|get|verify)_/.test(name));
  for (const operation of all) {
    const isExempt = reads.includes(operation) || (isContent(operation) && operation !== notes.grant);
    t.equal(operation.activity === null, isExempt, operation.name);
  }
  for (const operation of all) {
    const tenant = await persons.addTenant();
    const input = { ...inputFor(operation, tenant), ...(await prepareFor(persons, operation, tenant)) };
    const before = await newest();
    const refusal = EXPECTED[operation.name];
    t.match(await callAs(persons, operation, OPERATOR, input), refusal ?? /^answered/, operation.name);
    const after = await newest();
    if (operation.activity === null || refusal !== undefined) t.same(after, before, operation.name);
    else t.match(after, { action: operation.activity, actor: 'operator', via: 'CLI' }, operation.name);
  }
  t.match(await persons.call(personContracts.activity.verify, OPERATOR, {}), { ok: true, rows_without_mac: 0 });
});

t.test('what an owner lists without naming a workspace is its own', async (t) => {
  const persons = await openPersons(t);
  const [own, foreign] = [await persons.addTenant(), await persons.addTenant()];
  const lists = owners.filter(({ input }) => input.safeParse({}).success);
  t.ok(lists.length > 5);
  for (const operation of lists.filter(({ name }) => name.startsWith('list_'))) {
    const seen = JSON.stringify(await persons.call(operation, ownerOf(own), {}));
    t.ok(mentions(seen, own), `${operation.name} has its own`);
    t.notOk(mentions(seen, foreign), `${operation.name} has nothing of another`);
    if (ofOneWorkspace.has(operation)) continue;
    t.ok(mentions(JSON.stringify(await persons.call(operation, OPERATOR, {})), foreign), `${operation.name}: operator`);
  }
});

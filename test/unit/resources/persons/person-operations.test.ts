/** What holds for every operation of a person, whatever it does. A new one is covered by being in the list. */

import t from 'tap';
import { inputOf } from '../../../../src/access/reach.ts';
import { type Caller, SCOPES } from '../../../../src/kernel/caller.ts';
import { ApiError } from '../../../../src/kernel/errors.ts';
import type { Operation } from '../../../../src/kernel/operation.ts';
import { fieldsOf as schemaFieldsOf } from '../../../../src/kernel/schema-walk.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { agentCaller } from '../../../harness/caller.ts';
import { openPersons, type Persons, type Tenant } from './tenant.ts';

const every: Operation[] = Object.values(contracts).flatMap((contract) => Object.values<Operation>(contract));
const all = every.filter(({ audience }) => audience.includes('operator'));
/** Those that agents call as well. */
const shared = all.filter(({ audience }) => audience.includes('agent'));
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
  display_name: 'Dave of Sales',
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
  'secrets.add': { value: { key: 'another value' } },
  'secrets.change': { value: { key: 'another value' } },
  'workspaces.add': { name: 'Newcomers', owner_email: 'o@remote.test', plan: 'unlimited' },
  'workspaces.setPlan': { plan: 'free' },
  'owners.add': { email: 'newcomer@remote.test' },
  add_knowledge_source: { kind: 'text' },
  add_domain: { domain: 'newcomer.example' },
};

/** What these are refused with where no resolver answers (test/flows/domains has one). */
const EXPECTED: Readonly<Record<string, string>> = {
  'domains.rotateDkim': 'dkim_key_not_published',
  // What is released here goes at once.
  'heldMail.undo': 'held_mail_already_decided',
};

/** Names what an operation acts on by its id, its handle or its workspace. */
const NAMING = [
  ...['agent', 'key_id', 'connection_id', 'pending_id', 'delivery_id', 'webhook_id', 'domain', 'workspace'],
];

const fieldsOf = (operation: Operation): string[] => Object.keys(schemaFieldsOf(inputOf(operation, OPERATOR)));
const namingFieldOf = (operation: Operation) => NAMING.find((name) => fieldsOf(operation).includes(name));

const { contacts, contactLists, contactImport, contactExchange, notes, knowledge, suppressions, webhooks } = contracts;

/** What `id` names, by the resource. */
const ID_OF: readonly (readonly [Record<string, Operation>, string])[] = [
  [{ page: knowledge.page }, 'page_id'],
  [knowledge, 'source_id'],
  [contacts, 'contact_id'],
  [contactLists, 'list_id'],
  [notes, 'note_id'],
  [webhooks, 'webhook_id'],
];
const targetOf = (operation: Operation, name: string): string =>
  (name === 'id' && ID_OF.find(([contract]) => Object.values(contract).includes(operation))?.[1]) || name;

/** All its fields, of this tenant where they name something; the rest of `omitted` is left out. */
const inputFor = (operation: Operation, { targets }: Tenant, omitted: readonly string[] = []): object => ({
  ...Object.fromEntries(
    fieldsOf(operation)
      .filter((name) => !omitted.includes(name))
      .flatMap((name) => {
        const target = targetOf(operation, name);
        return target in targets ? [[name, targets[target]]] : name in PLAIN ? [[name, PLAIN[name]]] : [];
      }),
  ),
  ...INPUTS[operation.name],
});

/** Whoever lists these names a workspace, or has one. */
const ofOneWorkspace = new Set<Operation>([
  webhooks.list,
  ...[suppressions, contacts, contactLists, contactImport, contactExchange, notes, knowledge].flatMap((contract) =>
    Object.values<Operation>(contract),
  ),
]);

/** What the agents of a workspace write down and share; its deletion, also by a merge, is recorded. Mail of a file is recorded once it is in. */
const isContent = (operation: Operation): boolean =>
  operation === contracts.mailTransfer.import ||
  (!/^(?:delete|merge)_/.test(operation.name) &&
    [contacts, contactLists, contactImport, contactExchange, notes, knowledge].some((contract) =>
      Object.values<Operation>(contract).includes(operation),
    ));

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
  for (const operation of all.filter((each) => !shared.includes(each))) {
    t.equal(await callAs(persons, operation, agent, inputFor(operation, tenant)), 'insufficient_scope', operation.name);
  }
});

t.test('of those that agents call as well, a key names no workspace, and is answered as an agent', async (t) => {
  const persons = await openPersons(t);
  const [own, foreign] = [await persons.addTenant(), await persons.addTenant()];
  const agent = agentCaller({ workspaceId: own.workspaceId, scopes: new Set(SCOPES), reach: 'workspace' });
  t.ok(shared.length > 30);
  for (const operation of shared) {
    const { workspace } = foreign.targets;
    const input = inputFor(operation, foreign, ['workspace']);
    const named = await callAs(persons, operation, agent, { ...input, workspace });
    t.match(named, /^(?:invalid_request|id_required|[a-z_]+_not_found|not_found)$/, `${operation.name}: ${named}`);
    t.ok(fieldsOf(operation).includes('workspace'), operation.name);
    t.notOk('workspace' in schemaFieldsOf(operation.input), operation.name);
    const keyless = { ...agent, scopes: new Set<never>() };
    t.equal(
      await callAs(persons, operation, keyless, input),
      'insufficient_scope',
      `${operation.name} without a scope`,
    );
  }
});

t.test('what agents may not call has neither a route nor a tool', (t) => {
  for (const operation of every) {
    const { audience, name } = operation;
    if (audience.includes('agent') || audience.includes('anonymous')) continue;
    t.notOk('path' in operation || operation.tool || operation.scope, name);
  }
  t.equal(new Set(every.map(({ name }) => name)).size, every.length, 'each has a name of its own');
  t.end();
});

t.test("a session, an owner and a request without either are each refused what is another's", async (t) => {
  const persons = await openPersons(t);
  const tenant = await persons.addTenant();
  const { email } = tenant.targets;
  const session = { kind: 'session', ownerId: email, email, secret: 'none' } as unknown as Caller;
  const stranger: Caller = { kind: 'anonymous', network: '192.0.2.1', browser: 'a browser' };
  for (const operation of all) {
    const input = inputFor(operation, tenant);
    t.equal(await callAs(persons, operation, session, input), 'insufficient_scope', `${operation.name}: session`);
    t.equal(await callAs(persons, operation, stranger, input), 'insufficient_scope', `${operation.name}: anonymous`);
  }
  for (const { audience, name } of every) {
    if (audience.includes('session')) t.same(audience, ['session'], name);
    if (audience.includes('anonymous')) t.same(audience, ['anonymous'], name);
  }
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
    if (fieldsOf(operation).includes('id')) {
      const unnamed = await callAs(persons, operation, ownerOf(own), inputFor(operation, foreign, ['workspace']));
      t.match(unnamed, /_not_found/, `${operation.name} of another, by its id`);
    }
    if (operation === contracts.workspaces.resume) {
      await persons.call(contracts.workspaces.pause, OPERATOR, { workspace: foreign.targets.workspace });
    }
    const expected = EXPECTED[operation.name] ?? /^answered/;
    t.match(await callAs(persons, operation, ownerOf(foreign), input), expected, `${operation.name} of its own`);
  }
});

/** Brings about what the operation changes: a call that changes nothing is not recorded. @returns more of its input */
const prepareFor = async ({ call }: Persons, operation: Operation, { targets }: Tenant): Promise<object> => {
  const { workspaces, agents } = contracts;
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
    const { activity } = (await persons.call(contracts.activity.list, OPERATOR, { limit: 1 })) as {
      activity: { id: string; action: string; actor: string; via: string }[];
    };
    return activity[0];
  };
  const reads = all.filter(({ name }) =>
    /^(?:list|get)_|\.(?:list|get|find|records|check|decided|exportPage)$|^activity\.verify$/.test(name),
  );
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
  t.match(await persons.call(contracts.activity.verify, OPERATOR, {}), { ok: true, rows_without_mac: 0 });
});

t.test('what an owner lists without naming a workspace is its own', async (t) => {
  const persons = await openPersons(t);
  const [own, foreign] = [await persons.addTenant(), await persons.addTenant()];
  const lists = owners.filter((operation) => inputOf(operation, OPERATOR).safeParse({}).success);
  t.ok(lists.length > 5);
  for (const operation of lists.filter(({ name }) => /^list_|\.list$/.test(name))) {
    const seen = JSON.stringify(await persons.call(operation, ownerOf(own), {}));
    t.ok(mentions(seen, own), `${operation.name} has its own`);
    t.notOk(mentions(seen, foreign), `${operation.name} has nothing of another`);
    if (ofOneWorkspace.has(operation)) continue;
    t.ok(mentions(JSON.stringify(await persons.call(operation, OPERATOR, {})), foreign), `${operation.name}: operator`);
  }
});

/** Which operations the activity log records, and that one which is recorded cannot answer without its row. */

import t from 'tap';
import { z } from 'zod';
import { createDispatch, type IncomingCall } from '../../../src/access/dispatch.ts';
import { createIdempotency } from '../../../src/access/idempotency.ts';
import { createActivityLog } from '../../../src/activity/activity-log.ts';
import type { Caller } from '../../../src/kernel/caller.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Bound, bind, type Handlers } from '../../../src/kernel/handlers.ts';
import { isRouted, type Operation, personOperation } from '../../../src/kernel/operation.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { listActivity } from '../../../src/store/activity/activity-log.ts';
import { openSmallStore } from '../../harness/small-store.ts';

/** Writes that change no one's rights: mail, its flags, and an address that only receives. */
const NOT_RECORDED = [
  ...['send_message', 'reply_to_message', 'reply_all_to_message', 'forward_message'],
  ...['archive_message', 'update_messages', 'cancel_scheduled', 'cancel_pending', 'test_webhook', 'replay_delivery'],
  ...['create_temp_address', 'delete_temp_address', 'get_temp_messages', 'wait_for_email', 'wait_for_reply'],
];
/** What an agent writes down for its workspace; what it deletes of that, also by a merge, is recorded. */
const CONTENT_SCOPES: readonly unknown[] = ['contacts', 'notes'];

/** What persons change without a row: their own drafts and screens, the beginning of a step, and a transfer's count. */
const NOT_RECORDED_OF_PERSONS = [
  ...['writing.begin', 'writing.save', 'writing.discard', 'writing.attach', 'writing.detach', 'mail.flag'],
  ...['passkeys.begin', 'passkeys.beginSignIn', 'setUp.putAway', 'told.test', 'setUp.sendTest', 'activity.verify'],
  ...['contacts.keepApart', 'mailTransfer.import', 'contactExchange.importVCards', 'contactExchange.export'],
  // Recorded by its handler: dispatch does not know who signs in.
  'passkeys.signIn',
];
/** Reads, beside each `list` and `get`. */
const READS_OF_PERSONS = [
  ...['suppressions.find', 'domains.records', 'domains.check', 'heldMail.decided', 'heldParts.html', 'heldParts.links'],
  ...['heldParts.raw', 'heldParts.attachment', 'heldParts.preview', 'mail.thread', 'mail.search'],
  ...['mail.message', 'mail.html', 'mail.raw', 'mail.attachment', 'mail.preview', 'inbox.threads'],
  ...[
    'inbox.search',
    'writing.drafts',
    'writing.draft',
    'mailTransfer.exportPage',
    'contactPreview.csv',
    'contactPreview.vcards',
  ],
  ...['home.needs', 'home.sending', 'home.health', 'home.agents', 'instance.examine'],
];

const isRead = (operation: Operation): boolean =>
  isRouted(operation) ? operation.method === 'GET' : operation.tool?.hints?.readOnly === true;

t.test('every operation of agents that changes rights, deletes or opens a secret is recorded', (t) => {
  const all = Object.values(contracts)
    .flatMap((contract) => Object.values<Operation>(contract))
    .filter(({ audience }) => audience.includes('agent'));
  t.ok(all.length > 30);
  for (const operation of all) {
    const { name, activity, scope } = operation;
    const opensSecret = scope === 'vault' && !name.startsWith('list_');
    const isContent = CONTENT_SCOPES.includes(scope) && !/^(?:delete|merge)_/.test(name);
    const isExempt = isRead(operation) || NOT_RECORDED.includes(name) || isContent;
    t.equal(activity === null, isExempt && !opensSecret, name);
    if (activity !== null) t.match(activity, /^[a-z]+\.[a-z_]+$/, name);
  }
  const names = new Set(all.map(({ name }) => name));
  t.same(
    NOT_RECORDED.filter((name) => !names.has(name)),
    [],
    'each exception is there',
  );
  t.end();
});

t.test('every operation of persons alone that changes something is recorded', (t) => {
  const unrecorded = Object.values(contracts)
    .flatMap((contract) => Object.values<Operation>(contract))
    .filter(({ audience, activity }) => !audience.includes('agent') && activity === null)
    .map(({ name }) => name)
    .filter((name) => !/\.(?:list|get)$/.test(name));
  t.same(unrecorded.sort(), [...NOT_RECORDED_OF_PERSONS, ...READS_OF_PERSONS].sort());
  t.end();
});

const touch = personOperation({
  activity: 'thing.touch',
  output: z.object({ touched: z.boolean() }),
});
type Touches = Handlers<{ touch: typeof touch }>;

const open = async (t: Parameters<typeof openSmallStore>[0]) => {
  const small = await openSmallStore(t);
  const activity = createActivityLog({ clock: systemClock, newId: small.newId }, null);
  const dispatch = createDispatch({
    read: small.store.read,
    idempotency: createIdempotency(small.store, systemClock),
    activity,
  });
  const call = (handlers: Touches, caller: Caller = { kind: 'operator', name: 'cli:test' }) => {
    const [bound] = bind({ touch }, handlers) as Bound<Operation>[];
    if (!bound) throw new Error('Nothing was bound.');
    const incoming: IncomingCall = { caller, input: {}, idempotencyKey: null, via: 'CLI' };
    return dispatch(bound, incoming);
  };
  return { ...small, call, acts: () => listActivity(small.store.read, null, null, 10) };
};

t.test('a handler that records answers, under the name of its caller', async (t) => {
  const { store, workspaceId, call, acts } = await open(t);
  const handlers: Touches = {
    touch: (_caller, _input, { record }) =>
      store.write((tx) => record(tx, { workspaceId, subject: 'thing', detail: { n: 1 } }, { touched: true })),
  };
  for (let n = 0; n < 3; n += 1) t.match(await call(handlers), { status: 200, body: { touched: true } });
  await call(handlers, { kind: 'owner', name: 'owner:o@remote.test', workspaceId });
  const rows = await acts();
  t.same(
    rows.map(({ actor, action, via }) => [actor, action, via]),
    [['o@remote.test', 'thing.touch', 'CLI'], ...Array(3).fill(['operator', 'thing.touch', 'CLI'])],
  );
  t.same(
    rows.map(({ detail }) => detail),
    ['{"n":1}', ...Array(3).fill('{"n":1,"by":"cli:test"}')],
  );
});

t.test('one that does not is no handler for the compiler, and a fault where it runs', async (t) => {
  const { store, workspaceId, call, acts } = await open(t);
  const silent: Touches = {
    // @ts-expect-error an answer that was not recorded
    touch: async () => ({ touched: true }),
  };
  await t.rejects(call(silent), /answered without a row in the activity log/);
  const borrowed = await store.write(async () => ({ answer: { touched: true } }));
  await t.rejects(call({ touch: async () => borrowed as never }), /without a row/, 'nor one that it made itself');
  const rolledBack: Touches = {
    touch: (_caller, _input, { record }) =>
      store.write(async (tx) => {
        await record(tx, { workspaceId, subject: 'thing' }, { touched: true });
        throw new Error('refused after all');
      }),
  };
  await t.rejects(call(rolledBack), /refused after all/);
  t.same(await acts(), [], 'what was not done is not recorded');
});

/** What owners alone may call of contacts, webhooks, secrets, the plan, the activity log and the instance, over the wire. */

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { noteBackup } from '../../../src/kernel/files/written-backups.ts';
import { type Browser, createBrowser } from '../../harness/http/browser.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { faultOfSignature, startWebhookInstance, type WebhookBox } from '../../harness/http/webhooks.ts';
import { untilNoon } from '../../harness/noon.ts';
import { addSecret, listActs } from '../../harness/operator.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { claim, signUp } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let hooks: WebhookBox;
let browser: Browser;
/** In the harness's own workspace where none is named. */
const owner = {
  call: (path: string, input?: unknown, workspace = 'acme') => browser.call(path, input, workspace),
};
t.before(async () => {
  hooks = await startWebhookInstance();
  browser = await signInOwner(hooks.instance);
});
t.teardown(() => hooks[Symbol.asyncDispose]());

t.test('an import is shown row by row before it is made, and writes nothing until then', async (t) => {
  await owner.call('contacts/create', {
    given_name: 'Carol',
    channels: [{ kind: 'email', value: 'carol@remote.test', label: null }],
  });
  const csv =
    'email,name,company\ncarol@remote.test,C,X\ndave@remote.test,Dave,Y\nnonsense,Eve,Z\ndave@remote.test,D,Y\n';
  const { body: seen } = await owner.call('contactPreview/csv', { csv });
  t.same(seen.counts, { create: 1, exists: 1, skip: 2, fail: 0 });
  t.same(seen.columns_understood, ['email', 'name', 'company']);
  t.match(seen.rows, [
    { place: 2, outcome: 'exists', known: { name: 'Carol' } },
    { place: 3, outcome: 'create', name: 'Dave', company: 'Y', channel: 'dave@remote.test', known: null },
    { place: 4, outcome: 'skip', reason: 'invalid_email' },
    { place: 5, outcome: 'skip', reason: 'duplicate' },
  ]);
  const { contacts } = (await owner.call('contacts/list')).body;
  t.equal(contacts.length, 1, 'nothing is written');
  const card = (lines: string) => `BEGIN:VCARD\nVERSION:4.0\n${lines}\nEND:VCARD\n`;
  const vcard = [
    card(`UID:urn:uuid:${contacts[0].id}\nFN:Carol`),
    card('FN:Other Carol\nEMAIL:carol@remote.test'),
    card('NOTE:nobody'),
    card(`FN:${'x'.repeat(300)}\nN:;${'x'.repeat(300)}`),
  ].join('');
  const { body: cards } = await owner.call('contactPreview/vcards', { vcard });
  t.same(cards.counts, { create: 1, exists: 1, skip: 0, fail: 2 });
  t.match(cards.rows, [
    { place: 1, outcome: 'exists', name: 'Carol' },
    { place: 2, outcome: 'create', name: 'Other Carol', known: { name: 'Carol' } },
    { place: 3, outcome: 'fail', reason: 'no_contact' },
    { place: 4, outcome: 'fail', reason: 'too_long', field: 'given_name' },
  ]);
  const many = `email\n${Array.from({ length: 300 }, (_, at) => `p${at}@remote.test`).join('\n')}`;
  const { body: long } = await owner.call('contactPreview/csv', { csv: many });
  t.same([long.counts.create, long.rows.length], [300, 100]);
  t.match(await owner.call('contactPreview/csv', { csv: 'email\n"open' }), { status: 400 });
});

t.test('who of the agents wrote with a contact', async (t) => {
  const { instance } = hooks;
  const { ann } = instance.agents;
  const { body: contact } = await owner.call('contacts/create', {
    given_name: 'Greta',
    channels: [{ kind: 'email', value: 'Greta@remote.test', label: null }],
  });
  const list = async () => (await owner.call('correspondence/list', { id: contact.id })).body.exchanges;
  t.same(await list(), []);
  await instance.client(ann).messages.send({ to: ['greta@remote.test'], subject: 'Hi', body: 'Hi' });
  t.match(await list(), [{ agent: 'ann', address: 'greta@remote.test', wrote_at: String, has_written: false }]);
  const other = await instance.addWorkspace('Elsewhere');
  t.match(await owner.call('correspondence/list', { id: contact.id }, other.slug), {
    status: 404,
    body: { error: 'contact_not_found' },
  });
});

t.test('an owner sets up an endpoint, sees its deliveries, tests it and has one sent again', async (t) => {
  const { receiver } = hooks;
  const { body: created } = await owner.call('webhooks/create', {
    url: hooks.url('/in'),
    events: ['message.received'],
    headers: { 'x-own': 'words' },
  });
  t.match(created, { secret: /^whsec_/, header_names: ['x-own'], active: true });
  t.match((await owner.call('webhooks/list')).body.webhooks, [{ id: created.id, made_by: null }]);
  receiver.answer((_request, response) => response.writeHead(500).end('not <b>today</b>'));
  await hooks.mail();
  const deliveries = async () => (await owner.call('webhooks/deliveries', { webhook_id: created.id })).body.deliveries;
  await eventually(async () => (await deliveries()).length === 1);
  const [failed] = await deliveries();
  t.match(failed, { event: 'message.received', status_code: 500, response_body: 'not <b>today</b>' });
  receiver.answer((_request, response) => response.end('ok'));
  const { body: tested } = await owner.call('webhooks/test', { webhook_id: created.id });
  t.match(tested, { delivered: true, status_code: 200 });
  const { body: replayed } = await owner.call('webhooks/replay', { delivery_id: failed.delivery_id });
  t.match(replayed, { delivered: true, delivery_id: failed.delivery_id });
  const day = { since: new Date(0).toISOString(), until: new Date(3_600_000).toISOString() };
  t.match((await owner.call('agentDay/get', { agent: 'ann', ...day })).body, {
    ...{ quota: null, replied: null, wakes: { woken: 0, failed: 0, events: [] } },
  });
  const now = hooks.clock.now();
  const today = { since: new Date(now - 3_600_000).toISOString(), until: new Date(now + 3_600_000).toISOString() };
  const wakes = async (agent: string) => (await owner.call('agentDay/get', { agent, ...today })).body.wakes;
  t.match(await wakes('ann'), { woken: 0, failed: 1, events: [{ event: 'message.received', taken: false }] });
  await hooks.mail();
  await eventually(async () => (await wakes('ann')).woken === 1);
  t.match((await wakes('ann')).events, [{ from: String, taken: true }, { taken: false }], 'the latest first');
  t.match(await wakes('bob'), { woken: 0, failed: 0, events: [] }, 'the mail of another agent is none');
  const last = receiver.requests.at(-1);
  t.equal(last && faultOfSignature(last, created.secret), null);
  const update = (change: object) => owner.call('webhooks/update', { id: created.id, ...change });
  t.match((await update({ active: false })).body, { active: false, disabled_reason: 'paused' });
  t.match((await update({ active: true, events: ['message.sent'] })).body, { active: true, events: ['message.sent'] });
  t.match((await update({ rotate_secret: true })).body, { secret: /^whsec_/, previous_secret_valid_until: String });
  t.match(await update({}), { status: 400, body: { error: 'nothing_to_update' } });
  t.match(await owner.call('webhooks/create', { url: 'http://x.test', events: ['message.sent'] }), {
    status: 400,
    body: { error: 'https_url_required' },
  });
  const other = await hooks.instance.addWorkspace('Others');
  for (const [act, input] of [
    ['update', { id: created.id, active: false }],
    ['deliveries', { webhook_id: created.id }],
    ['test', { webhook_id: created.id }],
    ['replay', { delivery_id: failed.delivery_id }],
  ] as const) {
    t.equal((await owner.call(`webhooks/${act}`, input, other.slug)).status, 404, act);
  }
});

t.test("a secret's value and code are shown to the owner, and each view is recorded", async (t) => {
  const { instance } = hooks;
  const value = { username: 'u', password: 'correct horse battery', totp_seed: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' };
  const secret = await addSecret(instance, 'Portal', 'login', value);
  const plain = await addSecret(instance, 'Key', 'api_key', { key: 'a-long-api-key-of-old' });
  const opened = await owner.call('secrets/get', { id: secret.id });
  t.match(opened, { status: 200, body: { name: 'Portal', secret: value } });
  t.equal(opened.headers.get('cache-control'), 'no-store');
  t.match((await owner.call('secrets/totp', { id: secret.id })).body, { code: /^\d{6}$/, period: 30 });
  t.match(await owner.call('secrets/totp', { id: plain.id }), { body: { error: 'no_totp_on_secret' } });
  const acts = await listActs(instance);
  t.match(acts.slice(0, 2), [
    { action: 'secret.totp', actor: OWNER, via: 'console', subject: 'Portal' },
    { action: 'secret.open', actor: OWNER, via: 'console', subject: 'Portal', detail: { version: 1 } },
  ]);
  t.notMatch(JSON.stringify(acts), 'correct horse');
  const other = await instance.addWorkspace('Vaultless');
  for (const act of ['get', 'totp'])
    t.match(await owner.call(`secrets/${act}`, { id: secret.id }, other.slug), { status: 404 }, act);
  t.equal((await listActs(instance)).length, acts.length, 'and nothing is recorded');
  t.notMatch(JSON.stringify((await owner.call('secrets/list')).body), 'correct horse');
});

t.test('the activity log is filtered by who, what and words, whatever page they are on', async (t) => {
  const list = async (input: object) => (await owner.call('activity/list', input)).body;
  const { activity: secrets } = await list({ action: 'secret' });
  t.ok(secrets.length >= 4 && secrets.every(({ action }: { action: string }) => action.startsWith('secret.')));
  const { activity: first, next_cursor } = await list({ action: 'secret', limit: 1 });
  t.same(first, secrets.slice(0, 1));
  t.same((await list({ action: 'secret', limit: 1, cursor: next_cursor })).activity, secrets.slice(1, 2));
  t.match((await list({ action: 'secret.totp', actor: OWNER, q: 'pORTAL' })).activity, [{ subject: 'Portal' }]);
  t.same((await list({ q: '%' })).activity, [], 'not a pattern');
  const [last] = (await list({ limit: 1 })).activity;
  const after = new Date(Date.parse(last.at) + 1).toISOString();
  t.same((await list({ since: after })).activity, []);
  t.equal((await list({ since: last.at, until: after })).activity[0].id, last.id);
  t.notOk((await list({ until: last.at })).activity.some(({ id }: { id: string }) => id === last.id));
  t.same((await list({ actor: 'nobody' })).activity, []);
  t.match(await owner.call('activity/list', { action: "x' or 1" }), { status: 400 });
});

t.test('suppressions are paged, and found by how they begin', async (t) => {
  for (const name of ['a', 'b', 'c']) await owner.call('suppressions/add', { address: `${name}@gone.test` });
  const { body: page } = await owner.call('suppressions/list', { limit: 2 });
  t.match(page.suppressions, [{ address: 'c@gone.test' }, { address: 'b@gone.test' }]);
  const { body: next } = await owner.call('suppressions/list', { limit: 2, cursor: page.next_cursor });
  t.match(next, { suppressions: [{ address: 'a@gone.test' }], next_cursor: null });
  const find = async (beginning: string, limit = 25) =>
    (await owner.call('suppressions/find', { beginning, limit })).body;
  t.match(await find(' B@gone '), { suppressions: [{ address: 'b@gone.test', reason: 'manual' }], has_more: false });
  await owner.call('suppressions/add', { address: 'bb@gone.test' });
  t.match(await find('b'), { suppressions: [{ address: 'b@gone.test' }, { address: 'bb@gone.test' }] });
  t.match(await find('b', 1), { suppressions: [{ address: 'b@gone.test' }], has_more: true });
  t.same((await find('z@gone.test')).suppressions, []);
  t.same((await find('b%')).suppressions, [], 'no pattern');
  t.equal((await owner.call('suppressions/find', { beginning: ' ' })).status, 400);
});

t.test('the plan says what is included and what is used', async (t) => {
  const { body: plan } = await owner.call('plan/get');
  t.match(plan, { plan: String, tier: 'standard', usage: { sent_today: Number } });
  t.match(plan.parts, [
    { part: 'mailboxes', used: 2 },
    { part: 'custom_domains', used: 0 },
    { part: 'webhook_endpoints', used: 1 },
    { part: 'knowledge_pages', used: 0 },
  ]);
});

ofSqlite(t, 'a backup is made of the file')(
  'the doctor examines and is remembered; a backup is written; guests of the instance see neither',
  async (t) => {
    const { instance, clock } = hooks;
    clock.pass(untilNoon(clock.now()));
    t.same((await owner.call('boxes/list')).body, { boxes: null, may_drain: true });
    t.match(await owner.call('boxes/drain'), { status: 409, body: { error: 'no_other_box' } });
    t.same((await owner.call('instance/get')).body, {
      instance: { doctor: null, backups: [], signup_open: true, operator: { address: null, mail: [] } },
    });
    const { body: visit } = await owner.call('instance/examine');
    t.ok(visit.findings.some(({ name, status }: Record<string, string>) => name === 'disk' && status === 'ok'));
    const acme = JSON.stringify(visit.findings);
    t.notMatch(acme, 'elsewhere.', "another workspace's domain");
    t.same((await owner.call('instance/get')).body.instance.doctor, visit);
    t.match(await owner.call('instance/examine'), { status: 429, body: { error: 'rate_limited' } });

    const { status, body: written } = await owner.call('instance/backUp');
    t.equal(status, 200, JSON.stringify(written));
    t.ok(existsSync(written.file));
    t.equal(statSync(written.file).size, written.octets);
    t.equal(statSync(written.file).mode & 0o777, 0o600);
    t.match((await listActs(instance))[0], {
      action: 'backup.write',
      actor: OWNER,
      detail: { octets: written.octets },
    });
    t.match((await owner.call('instance/get')).body.instance.backups, [{ file: written.file }]);
    t.match(await owner.call('instance/backUp'), { status: 429 });
    for (let more = 0; more < 6; more += 1) {
      clock.pass(2 * MINUTE);
      t.equal((await owner.call('instance/backUp')).status, 200);
    }
    t.equal((await owner.call('instance/get')).body.instance.backups.length, 5, 'the oldest are removed');
    t.notOk(existsSync(written.file));
    clock.pass(DAY);
    for (let more = 0; more < 5; more += 1) {
      clock.pass(2 * MINUTE);
      t.equal((await owner.call('instance/backUp')).status, 200);
    }
    t.equal((await owner.call('instance/get')).body.instance.backups.length, 6, "and yesterday's newest stays");

    writeFileSync(join(dirname(written.file), 'nightly-20261101T010203Z.zst'), 'x');
    const elsewhere = join(dirname(written.file), 'by-hand.zst');
    writeFileSync(elsewhere, 'x');
    noteBackup(dirname(dirname(written.file)), { file: elsewhere, octets: 1, at: 1 });
    noteBackup(dirname(dirname(written.file)), { file: `${elsewhere}.gone`, octets: 1, at: 2 });
    const writers = (await owner.call('instance/get')).body.instance.backups.map(({ by }: { by: string }) => by);
    t.same([writers.length, writers.filter((by: string) => by !== 'console').sort()], [8, ['command', 'nightly']]);

    const email = 'guest@remote.test';
    const guest = createBrowser(instance.baseUrl);
    await claim(instance, guest, await signUp(instance, { handle: 'pilot', email, workspace_name: 'Guests' }), email);
    t.same((await guest.call('instance/get')).body, { instance: null });
    t.match(await guest.call('boxes/drain'), { status: 403, body: { error: 'insufficient_scope' } });
    clock.pass(2 * MINUTE);
    for (const act of ['examine', 'backUp']) {
      t.match(await guest.call(`instance/${act}`), { status: 403, body: { error: 'insufficient_scope' } }, act);
    }
    t.same(instance.faults, []);
  },
);

t.test('two contacts that are not one person are no duplicates any more', async (t) => {
  const add = async (email: string) =>
    (
      await owner.call('contacts/create', {
        given_name: 'Kari',
        family_name: 'Twin',
        channels: [{ kind: 'email', value: email }],
      })
    ).body;
  const [one, other] = [await add('kari.one@remote.test'), await add('kari.two@remote.test')];
  const pairs = async () => (await owner.call('contacts/duplicates', {})).body.pairs;
  t.equal((await pairs()).length, 1, JSON.stringify([one, other]));
  const kept = await owner.call('contacts/keepApart', { one_id: other.id, other_id: one.id });
  t.same(kept.body, { kept_apart: true });
  t.same(await pairs(), []);
  t.match(await owner.call('contacts/keepApart', { one_id: one.id, other_id: one.id }), { status: 400 });
});

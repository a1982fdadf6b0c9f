/** Contacts over REST: each operation, each refusal, each limit. */

import t from 'tap';
import { createContact } from '../../harness/contacts.ts';
import { answerOf } from '../../harness/http/answer.ts';
import { startInstance } from '../../harness/instance.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

t.test('contacts', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const client = instance.client(ann);
  const globex = await instance.addWorkspace('Globex');
  const zoe = await instance.addAgent('zoe', globex);

  const answer = answerOf(instance);
  const refuse = async (method: string, path: string, body: unknown, status: number, code: string, hint = /./) => {
    const [was, said] = await answer(ann, method, path, body);
    t.equal(was, status, `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}`);
    t.match(said, { error: code, hint });
  };

  await t.test('created, read, changed and deleted', async (t) => {
    const [status, created] = await answer(ann, 'POST', '/v1/contacts', {
      given_name: ' Carol ',
      family_name: 'Müller',
      preferred_name: null,
      company_name: 'Remote GmbH',
      job_title: '',
      notes: 'Met at the fair.\nLikes tea.',
      domains: ['Remote.test', 'remote.test', '@bücher.example'],
      channels: [
        { kind: 'email', value: 'Carol@Remote.test' },
        { kind: 'email', value: 'carol@remote.test', label: 'the same' },
        { kind: 'phone', value: '+49 (0)30 123456', label: 'work' },
      ],
    });
    t.equal(status, 201);
    const { id, updated_at: updatedAt, ...shown } = created;
    t.same(shown, {
      name: 'Carol Müller',
      given_name: 'Carol',
      family_name: 'Müller',
      preferred_name: null,
      company_name: 'Remote GmbH',
      job_title: null,
      notes: 'Met at the fair.\nLikes tea.',
      domains: ['remote.test', 'xn--bcher-kva.example'],
      channels: [
        { kind: 'email', value: 'Carol@Remote.test', label: null },
        { kind: 'phone', value: '+49 (0)30 123456', label: 'work' },
      ],
      addresses: [],
      memories: [],
    });
    t.match(updatedAt, /^\d{4}-\d\d-\d\dT.*Z$/);
    t.same(await answer(bob, 'GET', `/v1/contacts/${id}`), [200, created], 'all agents of the workspace share it');

    const [, patched] = await answer(bob, 'PATCH', `/v1/contacts/${id}`, { job_title: 'Buyer', family_name: null });
    t.match(patched, { name: 'Carol', job_title: 'Buyer', family_name: null, company_name: 'Remote GmbH' });
    t.same(patched.channels, shown.channels, 'what is left out keeps its value');
    const [, replaced] = await answer(ann, 'PATCH', `/v1/contacts/${id}`, {
      channels: [{ kind: 'phone', value: '0049 30 123456' }],
      domains: [],
    });
    t.match(replaced, { channels: [{ kind: 'phone', value: '0049 30 123456', label: null }], domains: [] });
    t.same((await client.contacts.list({ lookup: 'carol@remote.test' })).contacts, [], 'found by it no more');

    t.same(await answer(ann, 'DELETE', `/v1/contacts/${id}`), [200, { deleted: true }]);
    t.match(await answer(ann, 'DELETE', `/v1/contacts/${id}`), [404, { error: 'contact_not_found' }]);
    t.match(await answer(ann, 'GET', `/v1/contacts/${id}`), [404, { error: 'contact_not_found' }]);
    t.same((await client.contacts.list({ q: 'carol' })).contacts, [], 'and nothing is left in the index');
  });

  await t.test('names: a person, what it is called, a company', async (t) => {
    const nameOf = async (input: object) => (await answer(ann, 'POST', '/v1/contacts', input))[1].name;
    t.equal(await nameOf({ family_name: 'Ng' }), 'Ng');
    t.equal(await nameOf({ preferred_name: 'Bo', company_name: 'Ng & Co' }), 'Bo');
    t.equal(await nameOf({ company_name: 'Ng & Co' }), 'Ng & Co');
    await refuse('POST', '/v1/contacts', {}, 400, 'name_required', /`given_name`.*`company_name`/);
    await refuse('POST', '/v1/contacts', { given_name: ' ', notes: 'x' }, 400, 'name_required');
    const { id } = await createContact(client, { given_name: 'Bo' });
    await refuse('PATCH', `/v1/contacts/${id}`, { given_name: null }, 400, 'name_required');
    await refuse('PATCH', `/v1/contacts/${id}`, {}, 400, 'nothing_to_update');
    t.match(await client.contacts.get({ id }), { given_name: 'Bo' }, 'a refused patch changes nothing');
  });

  await t.test('facts are remembered', async (t) => {
    const { id } = await createContact(client, { given_name: 'Dave' });
    const mail = await client.messages.send({ to: [bob.address], subject: 's', body: 'b' });
    const [status, memory] = await answer(ann, 'POST', `/v1/contacts/${id}`, {
      fact: ' Prefers Tuesdays. ',
      message_id: mail.messageId,
    });
    t.equal(status, 201);
    t.match(memory, { id: String, fact: 'Prefers Tuesdays.', message_id: mail.messageId, created_at: String });
    await client.contacts.remember({ id, fact: 'Has a dog.' });
    const { memories } = await instance.client(bob).contacts.get({ id });
    t.match(memories, [{ fact: 'Prefers Tuesdays.' }, { fact: 'Has a dog.', message_id: null }]);
    t.match((await client.contacts.list({ q: 'tuesd' })).contacts, [{ id }], 'and found by their words');
    await refuse('POST', `/v1/contacts/${id}`, {}, 400, 'fact_required');
    for (const fact of ['', ' ', null]) await refuse('POST', `/v1/contacts/${id}`, { fact }, 400, 'fact_required');
    await refuse('POST', `/v1/contacts/${id}`, { fact: 'x'.repeat(1_001) }, 400, 'invalid_request', /at most 1000/);
    await refuse('POST', `/v1/contacts/${UNKNOWN}`, { fact: 'x' }, 404, 'contact_not_found');
    await refuse('POST', `/v1/contacts/${id}`, { fact: 'x', message_id: UNKNOWN }, 404, 'message_not_found');
    const foreign = await instance.client(zoe).messages.send({ to: ['x@remote.test'], subject: 's', body: 'b' });
    await refuse('POST', `/v1/contacts/${id}`, { fact: 'x', message_id: foreign.messageId }, 404, 'message_not_found');
    for (let at = 2; at < 100; at += 1) await instance.client(bob).contacts.remember({ id, fact: `Fact ${at}` });
    await refuse('POST', `/v1/contacts/${id}`, { fact: 'one more' }, 400, 'invalid_request', /at most 100 memories/);
  });

  await t.test('fields have their form and their length', async (t) => {
    const bad = (input: object, code = 'invalid_request', hint = /./) =>
      refuse('POST', '/v1/contacts', { given_name: 'X', ...input }, 400, code, hint);
    await bad({ given_name: 'x'.repeat(201) }, 'invalid_request', /`given_name` has at most 200/);
    await bad({ job_title: 'a\nb' }, 'invalid_request', /job_title/);
    await bad({ notes: 'x'.repeat(10_001) }, 'invalid_request', /at most 10000/);
    await bad(
      { nickname: 'x' },
      'invalid_request',
      /^There is no field `nickname`; there are `given_name`, .*`vcard`\.$/,
    );
    const names = /no field `name`; there are `given_name`, `family_name`, `preferred_name`, `company_name`\.$/;
    await bad({ name: 'Bob' }, 'invalid_request', names);
    await refuse('GET', '/v1/search?q=', undefined, 400, 'invalid_request', /at least 1 character,/);
    await bad({ domains: ['not a domain'] }, 'invalid_domain', /domains.0/);
    await bad({ domains: ['x.test', ''] }, 'invalid_domain');
    await bad({ domains: Array.from({ length: 21 }, (_, at) => `d${at}.test`) }, 'invalid_request', /at most 20/);
    const bare = /^`channels\.0\.value`, not "[^"]+": Give an e-mail address without a name, as `a@example\.com`\.$/;
    for (const value of ['nonsense', 'Bob <b@remote.test>'])
      await bad({ channels: [{ kind: 'email', value }] }, 'invalid_email', bare);
    await bad({ channels: [{ kind: 'phone', value: 'none' }] }, 'invalid_request', /digit/);
    await bad({ channels: [{ kind: 'fax', value: '1' }] }, 'invalid_request', /channels.0.kind/);
    await bad({ channels: [{ kind: 'phone', value: '1'.repeat(321) }] }, 'invalid_request', /at most 320/);
    await bad({ channels: [{ kind: 'phone', value: '1', label: 'x'.repeat(61) }] }, 'invalid_request', /at most 60/);
    const channels = Array.from({ length: 51 }, (_, at) => ({ kind: 'phone', value: `+49 30 ${1000 + at}` }));
    await bad({ channels }, 'invalid_request', /at most 50/);
    await refuse('PATCH', `/v1/contacts/not-a-uuid`, { given_name: 'x' }, 404, 'contact_not_found');
    const broken = await answer(ann, 'POST', '/v1/contacts', { given_name: '\ud800Z' });
    t.match(broken, [400, { error: 'invalid_request' }]);
    const hostile = { given_name: 'Z', notes: 'a\u0000\r\n\u202e"\';--', domains: null, channels: null };
    const [status, kept] = await answer(ann, 'POST', '/v1/contacts', hostile);
    t.equal(status, 201);
    t.match(kept, { given_name: 'Z', notes: 'a\n\u202e"\';--', channels: [] });
    t.same(await client.contacts.get({ id: String(kept.id) }), kept);
  });

  await t.test('pages of the list', async (t) => {
    const names = Array.from({ length: 7 }, (_, at) => `Page ${at}`);
    const client = instance.client(zoe);
    for (const given_name of names) await createContact(client, { given_name });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.contacts.list({ limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.contacts.map(({ name }) => name));
      cursor = page.next_cursor ?? undefined;
      // A contact that is created while the book is paged through moves no page.
      await createContact(client, { given_name: 'New' });
    } while (cursor);
    t.same(seen, names.toReversed());
    await refuse('GET', '/v1/contacts?limit=101', undefined, 400, 'invalid_request');
    await refuse('GET', '/v1/contacts?limit=0', undefined, 400, 'invalid_request');
    await refuse('GET', '/v1/contacts?cursor=nonsense', undefined, 400, 'invalid_request');
    await refuse('GET', '/v1/contacts?q=a&lookup=b', undefined, 400, 'invalid_request', /not both/);
  });

  await t.test("another workspace's contacts are not found", async (t) => {
    const { id } = await createContact(client, {
      given_name: 'Hidden',
      channels: [{ kind: 'email', value: 'hidden@remote.test' }],
    });
    const other = await createContact(instance.client(zoe), { given_name: 'Zed' });
    const notFound = [404, { error: 'contact_not_found' }] as const;
    t.match(await answer(zoe, 'GET', `/v1/contacts/${id}`), notFound);
    t.match(await answer(zoe, 'PATCH', `/v1/contacts/${id}`, { given_name: 'x' }), notFound);
    t.match(await answer(zoe, 'POST', `/v1/contacts/${id}`, { fact: 'x' }), notFound);
    t.match(await answer(zoe, 'DELETE', `/v1/contacts/${id}`), notFound);
    const merge = (survivor_id: string, loser_id: string) =>
      answer(zoe, 'POST', '/v1/contacts/duplicates', { survivor_id, loser_id });
    t.match(await merge(id, other.id), notFound);
    t.match(await merge(other.id, id), notFound);
    for (const query of ['q=hidden', 'lookup=hidden', 'lookup=hidden@remote.test'])
      t.match(await answer(zoe, 'GET', `/v1/contacts?${query}`), [200, { contacts: [] }], query);
    t.match(await client.contacts.get({ id }), { given_name: 'Hidden' });
  });

  t.same(instance.faults, []);
});

/** vCards over REST: contacts made of them, one contact or the whole book written as them. */

import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { corpusPath, missingCorpora } from '../../corpus/corpora.ts';
import { createContact } from '../../harness/contacts.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

interface Shown {
  id: string;
  name: string;
  updated_at: string;
  [field: string]: unknown;
}

const card = (...lines: string[]): string => ['BEGIN:VCARD', 'VERSION:4.0', ...lines, 'END:VCARD', ''].join('\r\n');

const importCards = async (instance: TestInstance, agent: TestAgent, vcard: string) => {
  const response = await instance.request(agent, 'POST', '/v1/contacts', { vcard });
  return [response.status, (await response.json()) as { created: Shown[]; failed: object[] }] as const;
};

const accepting = (instance: TestInstance, { key }: TestAgent, path: string, accept: string): Promise<Response> =>
  fetch(new URL(path, instance.baseUrl), { headers: { authorization: `Bearer ${key}`, accept } });

const exportBook = async (instance: TestInstance, agent: TestAgent): Promise<string> =>
  (await accepting(instance, agent, '/v1/contacts', 'text/vcard')).text();

/** All contacts, newest first, without what is given by the workspace that they are in. */
const bookOf = async (instance: TestInstance, agent: TestAgent): Promise<object[]> => {
  const found: object[] = [];
  let cursor = '';
  for (;;) {
    const response = await instance.request(agent, 'GET', `/v1/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as { contacts: Shown[]; next_cursor: string | null };
    found.push(...page.contacts.map(({ id, updated_at, memories, ...content }) => content));
    if (page.next_cursor === null) return found;
    cursor = encodeURIComponent(page.next_cursor);
  }
};

t.test('vCards', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const client = instance.client(ann);
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Globex'));

  await t.test('cards become contacts; one that fails does not stop the others', async (t) => {
    const text = [
      card('FN:Carol Diaz', 'EMAIL;TYPE=work:carol@remote.test', 'ADR;TYPE=home:;;Main St 1;Bern;;3000;CH'),
      card('NOTE:nobody'),
      card(`FN:Eve ${'x'.repeat(300)}`),
      card('EMAIL:dave@remote.test'),
      'BEGIN:VCARD\r\nFN:Cut off\r\n',
    ].join('');
    const [status, { created, failed }] = await importCards(instance, ann, text);
    t.equal(status, 201);
    t.match(created, [
      {
        name: 'Carol Diaz',
        given_name: 'Carol',
        family_name: 'Diaz',
        channels: [{ kind: 'email', value: 'carol@remote.test', label: 'work' }],
        addresses: [{ street: 'Main St 1', locality: 'Bern', region: null, postal_code: '3000', label: 'home' }],
        memories: [],
      },
      { name: 'dave@remote.test', given_name: null, preferred_name: null },
    ]);
    t.same(failed, [
      { index: 1, reason: 'no_contact', field: null },
      { index: 2, reason: 'too_long', field: 'family_name' },
      { index: 4, reason: 'unfinished', field: null },
    ]);
    t.match(await (await instance.request(bob, 'GET', `/v1/contacts/${created[0]?.id}`)).json(), {
      name: 'Carol Diaz',
    });
    const nameless = `/v1/contacts/${created[1]?.id}`;
    t.match(await (await instance.request(ann, 'PATCH', nameless, { notes: 'Who is it?' })).json(), {
      name: 'dave@remote.test',
      notes: 'Who is it?',
    });
    t.match(await (await instance.request(ann, 'PATCH', nameless, { given_name: 'Dave' })).json(), { name: 'Dave' });
  });

  await t.test('refusals', async (t) => {
    const before = await bookOf(instance, ann);
    const refuse = async (body: object): Promise<unknown[]> => {
      const response = await instance.request(ann, 'POST', '/v1/contacts', body);
      return [response.status, await response.json()];
    };
    for (const vcard of ['', 'Hello', 'END:VCARD']) {
      const refusal = { error: 'no_valid_cards', hint: /^The text holds no vCard/, failed: [] };
      t.match(await refuse({ vcard }), [400, refusal], vcard);
    }
    const failed = [{ index: 0, reason: 'no_contact', field: null }];
    t.match(await refuse({ vcard: card('NOTE:x') }), [400, { error: 'no_valid_cards', hint: /says why/, failed }]);
    t.match(await refuse({ vcard: card('FN:A').repeat(1_001) }), [400, { error: 'too_many_cards' }]);
    const both = await refuse({ vcard: card('FN:A'), given_name: 'A' });
    t.match(both, [400, { error: 'invalid_request', hint: /`vcard` alone/ }]);
    t.match(await refuse({ vcard: 7 }), [400, { error: 'invalid_request', hint: /`vcard`/ }]);
    t.match(await refuse({ vcard: 'x'.repeat(16 * 1024 * 1024) }), [413, { error: 'body_too_large' }]);
    const raw = await fetch(new URL('/v1/contacts', instance.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'text/vcard' },
      body: card('FN:A'),
    });
    t.match([raw.status, await raw.json()], [415, { hint: /text\/vcard goes into it as `\{ "vcard": … \}`/ }]);
    t.same(await bookOf(instance, ann), before, 'nothing is changed');
  });

  await t.test('a thousand cards are taken at once', async (t) => {
    const other = await instance.addAgent('many', await instance.addWorkspace('Many'));
    const [status, { created }] = await importCards(instance, other, card('FN:Ann Lee').repeat(1_000));
    t.same([status, created.length], [201, 1_000]);
  });

  await t.test('a contact is written as it is asked for', async (t) => {
    const { id } = await createContact(client, { given_name: 'Ann', notes: 'One\ntwo', channels: [] });
    const path = `/v1/contacts/${id}`;
    const written = await accepting(instance, ann, path, 'text/vcard');
    t.equal(written.status, 200);
    t.equal(written.headers.get('content-type'), 'text/vcard; charset=utf-8');
    t.equal(
      await written.text(),
      card('PRODID:-//Postroom//Postroom//EN', `UID:urn:uuid:${id}`, 'FN:Ann', 'N:;Ann;;;', 'NOTE:One\\ntwo'),
    );
    for (const accept of [
      'application/json',
      '*/*',
      'text/html',
      'text/vcard;q=0.5, application/json',
      'text/vcard;q=0',
    ]) {
      const response = await accepting(instance, ann, path, accept);
      t.match(response.headers.get('content-type'), /^application\/json/, accept);
      t.match(await response.json(), { id }, accept);
    }
    const preferred = await accepting(instance, ann, path, 'application/json;q=0.9, text/vcard');
    t.match(await preferred.text(), /^BEGIN:VCARD/);
    t.match(preferred.headers.get('vary'), /accept/i);
    for (const [agent, of] of [
      [ann, UNKNOWN],
      [zoe, id],
    ] as const) {
      const response = await accepting(instance, agent, `/v1/contacts/${of}`, 'text/vcard');
      t.match([response.status, await response.json()], [404, { error: 'contact_not_found' }]);
    }
    t.equal(await exportBook(instance, zoe), '', "another workspace's book has none of it");
  });

  await t.test('a book imports into another workspace unchanged', async (t) => {
    await createContact(client, {
      given_name: 'Zoë; "Z"',
      family_name: 'O\\Neill, jr.',
      preferred_name: 'Zo',
      company_name: 'Acme; Sons, Ltd.',
      job_title: '=cmd',
      notes: `Line one\n\n  two, with \\n and ; and 🙂 ${'字'.repeat(200)}`,
      domains: ['acme.example', 'bücher.example'],
      channels: [
        { kind: 'phone', value: '+41 44 668 18 00 ext. 7', label: 'work fax' },
        { kind: 'email', value: 'Zoe@Acme.example', label: 'Holidays; late' },
        { kind: 'email', value: 'zoe@home.example', label: 'Home' },
        { kind: 'phone', value: '(0)44 1', label: null },
      ],
    });
    await createContact(client, { company_name: 'Globex GmbH' });
    await createContact(client, { preferred_name: 'Prince' });
    const book = await exportBook(instance, ann);
    const [status, { created, failed }] = await importCards(instance, zoe, book);
    const original = await bookOf(instance, ann);
    t.same([status, created.length, failed], [201, original.length, []]);
    t.same(await bookOf(instance, zoe), original);
    const withoutIds = (vcards: string): string => vcards.replace(/^UID:.*\r\n/gm, '');
    t.equal(withoutIds(await exportBook(instance, zoe)), withoutIds(book));
  });

  await t.test('a book that is imported where it is from makes no second contacts', async (t) => {
    const before = await bookOf(instance, ann);
    const book = await exportBook(instance, ann);
    const [status, refusal] = await importCards(instance, ann, book);
    t.match([status, refusal], [400, { error: 'no_valid_cards', hint: /Every vCard of the text is a contact there/ }]);
    t.match(refusal.failed, Array(before.length).fill({ reason: 'exists', field: null }));
    t.same(await bookOf(instance, ann), before);
    const { id } = await createContact(client, { given_name: 'Uma' });
    const uid = (text: string) => card(`UID:${text}`, 'FN:Uma');
    const cards = [`urn:uuid:${id.toUpperCase()}`, `urn:uuid:${UNKNOWN}`, 'urn:uuid:x', id].map(uid).join('');
    const [, mixed] = await importCards(instance, ann, cards);
    t.same([mixed.created.length, mixed.failed], [3, [{ index: 0, reason: 'exists', field: null }]]);
    const [, theirs] = await importCards(instance, zoe, uid(`urn:uuid:${id}`));
    t.equal(theirs.created.length, 1, "another workspace's ids are no matter");
    const bad = await importCards(instance, ann, uid(`urn:uuid:${id}`) + card('NOTE:x'));
    t.match(bad, [400, { hint: /usable is a contact there is already/, failed: { length: 2 } }]);
  });

  await t.test('files of other programs', { skip: missingCorpora }, async (t) => {
    for (const name of readdirSync(corpusPath('ez-vcard')).filter((each) => each.endsWith('.vcf'))) {
      const vcard = readFileSync(corpusPath('ez-vcard', name), 'utf8');
      const [status, { created, failed }] = await importCards(instance, bob, vcard);
      t.same([status, failed], [201, []], name);
      t.equal(created.length, vcard.match(/^BEGIN:VCARD/gim)?.length, name);
      t.notOk(
        created.some((contact) => contact.name === ''),
        name,
      );
    }
  });
  t.same(instance.faults, []);
});

t.test('a client that reads slowly gets the whole book, and nothing waits for it', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const cards = 400;
  const big = card('FN:Ann Lee', `NOTE:${'x'.repeat(9_900)}`).repeat(cards);
  for (let round = 0; round < 3; round += 1) t.equal((await importCards(instance, ann, big))[0], 201);
  const url = new URL('/v1/contacts', instance.baseUrl);
  const headers = { authorization: `Bearer ${ann.key}`, accept: 'text/vcard' };
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { headers }, resolve).on('error', reject).end();
  });
  reply.pause();
  // What is added while the client does not read is on the pages that have not been read yet.
  const [status] = await importCards(instance, ann, card('FN:Late Comer'));
  t.equal(status, 201, 'a write does not wait for the reader');
  const book = await text(reply);
  t.equal(book.match(/^END:VCARD/gm)?.length, 3 * cards + 1);
  t.match(book.slice(-400), /FN:Late Comer/);
  t.same(instance.faults, []);
});

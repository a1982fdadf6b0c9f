/** Search by words, look-up by address and number, and the contact of a message. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { createContact } from '../../harness/contacts.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('finding contacts', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);

  const create = async (given_name: string, input: object = {}) =>
    (await createContact(client, { given_name, ...input })).id;
  const email = (value: string) => ({ kind: 'email' as const, value });
  const phone = (value: string) => ({ kind: 'phone' as const, value });

  const anna = await create('Anna', {
    family_name: 'Łukasiewicz-Groß',
    company_name: 'Ćwikła Sp.',
    job_title: 'Head of Sales',
    notes: 'Wants offers in the morning',
    channels: [email('anna.luka@mail.cwikla.example'), phone('+48 22 123 45 67')],
    domains: ['cwikla.example'],
  });
  const hannah = await create('Hannah', { family_name: 'Anders', channels: [email('h@anders.example')] });
  const otto = await create('OTTO', { family_name: 'ΟΔΥΣΣΕΥΣ', channels: [phone('030 765 4321'), phone('555-0100')] });
  await client.contacts.remember({ id: otto, fact: 'Collects harmonicas' });

  const search = async (q: string, limit = 25) =>
    (await client.contacts.list({ q, limit })).contacts.map(({ id }) => id);
  const lookUp = async (lookup: string) => (await client.contacts.list({ lookup })).contacts.map(({ id }) => id);

  await t.test('words of every field, whatever their case and accents', async (t) => {
    for (const q of [
      ...[
        'anna',
        'ANNA',
        'łukasiewicz',
        'lukas anna',
        'gross',
        'GROSS anna',
        'groß',
        'ćwikła',
        'cwikla sp',
        'head sales',
      ],
      ...['morning offers', 'anna.luka@mail.cwikla.example', 'mail', '123', 'cwikla.example'],
    ]) {
      const found = await search(q);
      t.ok(found.includes(anna), q);
      t.notOk(found.includes(otto), `${q}: and no other`);
    }
    t.same(await search('οδυσσεύς'), [otto], 'a final sigma and an accent make no difference');
    t.same(await search('harmonica'), [otto], 'memories too');
    t.same(await search('anna hannah'), [], 'all words are wanted');
    t.same(await search('nna'), [], 'words are found by their beginning');
    const annabel = await create('Annabel');
    t.same(await search('anna'), [anna, annabel], 'a word before longer words that begin with it');
    t.same(new Set(await search('an')), new Set([anna, annabel, hannah]));
    t.same(await search('"*-(:'), [], 'punctuation alone finds nothing');
    t.same(await search("anna' OR 1=1 --"), [], 'and is no syntax');
    const response = await instance.request(ann, 'GET', `/v1/contacts?q=${'a '.repeat(1)}${'word'.repeat(60)}`);
    t.match([response.status, await response.json()], [400, { error: 'invalid_request' }]);
    const words = await instance.request(ann, 'GET', '/v1/contacts?q=a+b+c+d+e+f+g+h+i+j+k');
    t.match([words.status, await words.json()], [400, { error: 'invalid_request', hint: /at most 10 words/ }]);
  });

  await t.test('pages of a search, each contact once', async (t) => {
    const some: string[] = [];
    for (let at = 0; at < 7; at += 1) some.push(await create(`Serial${at % 2}`, { notes: `serials serial${at}` }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.contacts.list({ q: 'serial', limit: 2, ...(cursor && { cursor }) });
      t.ok(page.contacts.length <= 2);
      seen.push(...page.contacts.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    t.same(seen.toSorted(), some.toSorted());
    const newestFirst = some.filter((_, at) => at % 2 === 0).toReversed();
    t.same(seen.slice(0, 4), newestFirst, 'newest first under each word');
    const other = await client.contacts.list({ q: 'serial', limit: 2 });
    const misused = await instance.request(ann, 'GET', `/v1/contacts?q=anna&cursor=${other.next_cursor}`);
    t.match([misused.status, await misused.json()], [400, { error: 'invalid_request' }]);
  });

  await t.test('an address or a number: exact first, then partial', async (t) => {
    const exact = await create('Exact', { channels: [email('h@anders.example.org'), phone('+48221234567')] });
    t.same(await lookUp('H@ANDERS.example'), [hannah, exact], 'the whole address before those that begin with it');
    t.same(await lookUp('h@anders.example.org'), [exact]);
    for (const lookup of ['+48 22 123 45 67', '0048 22 1234567', '+48221234567', '22 123 45 67', '1234567', '+48 22'])
      t.same(new Set(await lookUp(lookup)), new Set([exact, anna]), lookup);
    t.same(await lookUp('+49 30 7654321'), [otto], 'a number that is kept without its country');
    t.same(await lookUp('030 7654321'), [otto]);
    t.same(await lookUp('5550100'), [otto], 'digits where the country is not known');
    t.same(await lookUp('555-0100'), [otto]);
    t.same(await lookUp('anna.luka'), [anna], 'a local part');
    t.same(await lookUp('luka'), [anna], 'a word of one');
    t.same(await lookUp('cwikla.example'), [anna], 'a domain');
    t.same(await lookUp('@cwikla'), [anna], 'the beginning of one');
    t.same(await lookUp('lukasie'), [anna], 'a name');
    t.same(await lookUp('harmonica'), [], 'what is only remembered is searched by q');
    t.same(await lookUp('nobody@remote.test'), []);
    t.same(await lookUp('%'), []);
    const page = await client.contacts.list({ lookup: '1234567', limit: 1 });
    t.match(page, { contacts: { length: 1 }, next_cursor: null });
  });

  await t.test(
    'a whole address or number is never that of another, and `exact` says which contacts have it',
    async (t) => {
      const jane = await create('Jane', { channels: [email('jane@acme.example')] });
      await create('Jane', { family_name: 'Smith', channels: [email('jane.smith@acme.example')] });
      const longer = await create('Jo', { channels: [email('jane@acme.example.org')] });
      const look = async (lookup: string, limit = 25) => {
        const { contacts, exact } = await client.contacts.list({ lookup, limit });
        return [contacts.map(({ id }) => id), exact];
      };
      t.same(await look('Jane@acme.example'), [[jane, longer], 1]);
      t.same(await look('jane@acme.example.o'), [[longer], 0], 'what begins with it only resembles it');
      t.same(await look('j@x.example'), [[], 0]);
      t.same(await look('jane@acme.example', 1), [[jane], 1]);
      t.equal((await look('jane'))[1], 0, 'a name matches nothing exactly');

      const swiss = await create('Swiss', { channels: [phone('+41 44 668 18 00')] });
      const extension = await create('Extension', { channels: [phone('+41 44 668 18 00 ext. 7')] });
      const unknown = await create('Unknown', { channels: [phone('044 668 18 00')] });
      await create('Neighbour', { channels: [phone('+49 44 668 18 00')] });
      await create('Longer', { channels: [phone('+41 44 668 18 001')] });
      for (const lookup of ['+41 44 668 18 00', '0041446681800'])
        t.same(await look(lookup), [[swiss, extension, unknown], 1], lookup);
      t.same(await look('+43 44 668 18 00'), [[unknown], 0], 'one of another country');
      t.equal((await look('044 668 18 00'))[1], 1);
      t.equal((await client.contacts.list({ q: 'jane' })).exact, null);
      t.equal((await client.contacts.list({ limit: 1 })).exact, null);
    },
  );

  await t.test('a message names the contact of its other side', async (t) => {
    const company = await create('', { given_name: null, company_name: 'Shop Inc', domains: ['shop.test'] });
    const clerk = await create('Clara', { channels: [email('Clara@Shop.test')] });
    const contactOf = async (from: string) => {
      await sendMail(instance.smtpPort, { from, to: [ann.address], headers: { From: from, Subject: `From ${from}` } });
      const [mail] = await eventually(async () => {
        const { messages } = await client.messages.list({ from });
        return messages.length > 0 && messages;
      });
      return (await client.messages.get({ id: mail?.id ?? '' })).contact;
    };
    t.same(await contactOf('clara@shop.test'), { id: clerk, name: 'Clara' }, 'by the address');
    t.same(await contactOf('info@shop.test'), { id: company, name: 'Shop Inc' }, 'by the domain');
    t.same(await contactOf('info@mail.shop.test'), { id: company, name: 'Shop Inc' }, 'by the organisation’s');
    t.equal(await contactOf('info@other.test'), null);
    const sent = await client.messages.send({ to: ['clara@shop.test', 'x@other.test'], subject: 's', body: 'b' });
    t.match((await client.messages.get({ id: sent.messageId ?? '' })).contact, { id: clerk });
    const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:read');
    const reader = { ...ann, key: String(key) };
    t.equal((await instance.client(reader).messages.get({ id: sent.messageId ?? '' })).contact, null, 'scopes hold');
    t.match(await (await instance.request(reader, 'GET', '/v1/contacts')).json(), {
      error: 'insufficient_scope',
      scope: 'contacts',
    });
    const globex = await instance.addWorkspace('Globex');
    const zoe = await instance.addAgent('zoe', globex);
    const theirs = await instance.client(zoe).messages.send({ to: ['clara@shop.test'], subject: 's', body: 'b' });
    t.equal((await instance.client(zoe).messages.get({ id: theirs.messageId ?? '' })).contact, null, 'tenants too');
  });

  t.same(instance.faults, []);
});

/** Imports of CSV over REST and as a tool. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestAgent } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

interface Result {
  created: number;
  matched_existing: number;
  added_to_list: number;
  list_id: string | null;
  columns_understood: string[];
  skipped: { row: number; reason: string }[];
  failed: { row: number; reason: string; field: string | null }[];
  contact_ids: string[];
}

t.test('CSV', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Globex'));
  const post = async (body: object, agent: TestAgent = ann) => {
    const response = await instance.request(agent, 'POST', '/v1/contacts/import', body);
    return [response.status, (await response.json()) as Result] as const;
  };
  const postRaw = async (body: string | Buffer, query = '', contentType = 'text/csv') => {
    const response = await fetch(new URL(`/v1/contacts/import${query}`, instance.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.key}`, 'content-type': contentType },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return [response.status, (await response.json()) as Result] as const;
  };
  const get = async (path: string, agent: TestAgent = ann) =>
    (await (await instance.request(agent, 'GET', path)).json()) as Record<string, unknown>;
  const countOf = async (listId: string | null) => (await get(`/v1/contacts/lists/${listId}`)).member_count;

  await t.test('rows become contacts on a list, which is made where there is none', async (t) => {
    const csv = [
      'email,first name,last name,name,company,title,phone,notes',
      'Carol@Remote.test,Carol,Diaz,,Remote GmbH,Clerk,+49 30 123456,"Met, at the\nfair"',
      'nobody,No,One',
      ',No,Address',
      'carol@remote.test,Carol,Again',
      `eve@remote.test,${'x'.repeat(300)}`,
      'dave@remote.test,,,Dave van Dyk',
    ].join('\r\n');
    const [status, result] = await post({ csv, list_name: 'Fair' });
    t.equal(status, 201);
    const { list_id: listId, contact_ids: ids, ...rest } = result;
    t.same(rest, {
      created: 2,
      matched_existing: 0,
      added_to_list: 2,
      columns_understood: ['email', 'first name', 'last name', 'name', 'company', 'title', 'phone', 'notes'],
      skipped: [
        { row: 3, reason: 'invalid_email' },
        { row: 4, reason: 'no_email' },
        { row: 5, reason: 'duplicate' },
      ],
      failed: [{ row: 6, reason: 'too_long', field: 'given_name' }],
    });
    t.equal(await countOf(listId), 2);
    const [carol, dave] = await Promise.all(ids.map((id) => get(`/v1/contacts/${id}`, bob)));
    t.match(carol, { name: 'Carol Diaz', company_name: 'Remote GmbH', job_title: 'Clerk', notes: 'Met, at the\nfair' });
    t.match(carol?.channels, [{ kind: 'email' }, { kind: 'phone', value: '+49 30 123456' }]);
    t.match(dave, { name: 'Dave van Dyk', given_name: 'Dave van', family_name: 'Dyk' });
  });

  await t.test('an address that is known reuses its contact, so that one is on several lists', async (t) => {
    const [, first] = await post({ csv: 'CAROL@remote.TEST\nfrank@remote.test', list_name: 'fair' });
    t.match(first, { created: 1, matched_existing: 1, added_to_list: 1, columns_understood: ['email'] });
    t.equal(await countOf(first.list_id), 3, 'case makes no other list');
    const [, second] = await post({ csv: 'carol@remote.test,Caroline,Changed', list_name: 'Friends' });
    t.match(second, { created: 0, matched_existing: 1, added_to_list: 1 });
    t.not(second.list_id, first.list_id);
    t.equal(second.contact_ids[0], first.contact_ids[0]);
    t.match(await get(`/v1/contacts/${first.contact_ids[0]}`), { name: 'Carol Diaz' }, 'it keeps what it has');
    const [, third] = await post({ csv: 'carol@remote.test\nfrank@remote.test', list_id: second.list_id });
    t.match(third, { created: 0, matched_existing: 2, added_to_list: 1, list_id: second.list_id });
    t.equal(await countOf(second.list_id), 2);
    const [, without] = await post({ csv: 'greta@remote.test' });
    t.match(without, { created: 1, added_to_list: 0, list_id: null });
  });

  await t.test('raw text, of any charset', async (t) => {
    const lines = 'E-mail;Name\r\njörg@remote.test;Jörg Müller\r\n';
    const [status, result] = await postRaw(Buffer.from(`\ufeff${lines}`, 'utf16le'), '?list_name=Friends');
    t.equal(status, 201);
    t.match(result, { created: 1, added_to_list: 1, columns_understood: ['email', 'name'] });
    t.match(await get(`/v1/contacts/${result.contact_ids[0]}`), { name: 'Jörg Müller' });
    const [, latin1] = await postRaw(
      Buffer.from('greta2@remote.test,Gréta,Müller\n', 'latin1'),
      `?list_id=${result.list_id}`,
    );
    t.match(await get(`/v1/contacts/${latin1.contact_ids[0]}`), { name: 'Gréta Müller' });
    t.equal(latin1.list_id, result.list_id);
    const [, charset] = await postRaw('hugo@remote.test', '', 'text/csv; charset=utf-8; header=absent');
    t.equal(charset.created, 1);
    const [, empty] = await postRaw('email,name\n', '?list_name=Nobody');
    t.match(empty, { created: 0, contact_ids: [], columns_understood: ['email', 'name'], list_id: null });
    const [, refused] = await post({ csv: `email,name\n,x\na@remote.test,${'x'.repeat(300)}`, list_name: 'Nobody' });
    t.match(refused, { skipped: [{ row: 2 }], failed: [{ row: 3 }], list_id: null });
    t.notOk(JSON.stringify(await get('/v1/contacts/lists')).includes('Nobody'), 'no list without a usable row');
  });

  await t.test('refusals change nothing', async (t) => {
    const before = [await get('/v1/contacts?limit=100'), await get('/v1/contacts/lists')];
    const [, theirs] = await post({ csv: 'x@remote.test', list_name: 'Theirs' }, zoe);
    const csv = 'new@remote.test';
    const cases: [body: object, status: number, error: string, hint?: RegExp][] = [
      [{}, 400, 'invalid_request', /^`csv` is missing\.$/],
      [{ csv: 7 }, 400, 'invalid_request', /^`csv` is refused: only text is taken, not 7\.$/],
      [{ csv, list_id: UNKNOWN }, 404, 'list_not_found'],
      [{ csv, list_id: theirs.list_id }, 404, 'list_not_found'],
      [{ csv, list_id: 'friends' }, 404, 'list_not_found'],
      [{ csv, list_id: UNKNOWN, list_name: 'A' }, 400, 'invalid_request', /not both/],
      [{ csv, list_name: '' }, 400, 'invalid_request', /list_name/],
      [{ csv, list_name: 'x'.repeat(200) }, 400, 'invalid_request', /list_name/],
      [{ csv, colour: 'red' }, 400, 'invalid_request', /colour/],
      [{ csv: 'email,name\na@remote.test,"x\n', list_name: 'Q' }, 400, 'invalid_request', /^Row 2 /],
      [{ csv: `email\n${'a\n'.repeat(100_001)}`, list_name: 'Q' }, 400, 'invalid_request', /100000 rows/],
    ];
    for (const [body, status, error, hint = /./] of cases) {
      t.match(await post(body), [status, { error, hint }], JSON.stringify(body).slice(0, 80));
    }
    t.match(await postRaw(csv, `?list_id=${UNKNOWN}`), [404, { error: 'list_not_found' }]);
    t.match(await postRaw(csv, '?csv=x'), [400, { error: 'invalid_request' }]);
    const taken = /application\/json`, or `text\/csv`\.$/;
    t.match(await postRaw(csv, '', 'text/plain'), [415, { error: 'unsupported_media_type', hint: taken }]);
    t.match(await postRaw('x'.repeat(17 * 1024 * 1024)), [413, { error: 'body_too_large' }]);
    const elsewhere = await fetch(new URL('/v1/contacts/lists', instance.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'text/csv' },
      body: csv,
    });
    t.match([elsewhere.status, await elsewhere.json()], [415, { error: 'unsupported_media_type', hint: /json`/ }]);
    t.same([await get('/v1/contacts?limit=100'), await get('/v1/contacts/lists')], before);
  });

  await t.test('a key without the scope imports nothing', async (t) => {
    const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'mail:read');
    const [status, refusal] = await post({ csv: 'x@remote.test' }, { ...ann, key: String(key) });
    t.match([status, refusal], [403, { error: 'insufficient_scope', scope: 'contacts' }]);
  });

  await t.test('as a tool', async (t) => {
    await using mcp = await connectMcp(instance, ann);
    const csv = 'Name,Email\nIda Lee,ida@remote.test\nx,x';
    const { structured } = await mcp.call('import_contacts', { csv, list_name: 'By tool' });
    t.match(structured, { created: 1, added_to_list: 1, skipped: [{ row: 3, reason: 'invalid_email' }] });
    const { refusal } = await mcp.call('import_contacts', { csv, list_id: UNKNOWN });
    t.match(refusal, { error: 'list_not_found' });
    const made = await mcp.call('create_contact', { vcard: 'BEGIN:VCARD\nFN:Kim Lee\nEND:VCARD' });
    t.match(made.structured, { created: [{ id: String, name: null }], failed: [] });
    t.match(made.texts.join('\n'), /Kim Lee/, 'a card is the words of others');
  });
  t.same(instance.faults, []);
});

t.test('mail is stored while thousands of rows are imported, and several imports at once', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const rows = (from: number, count: number): string =>
    Array.from({ length: count }, (_, at) => `p${from + at}@remote.test,P${from + at}`).join('\n');
  let isOver = false;
  const importRows = async (from: number): Promise<Result> => {
    const body = { csv: rows(from, 1_500), list_name: 'All' };
    const response = await instance.request(ann, 'POST', '/v1/contacts/import', body);
    return (await response.json()) as Result;
  };
  const imports = Promise.all([importRows(0), importRows(1_000)]).finally(() => {
    isOver = true;
  });
  let mails = 0;
  while (!isOver) {
    await sendMail(instance.smtpPort, { to: [bob.address] });
    mails += 1;
  }
  const [one, other] = await imports;
  t.equal(one.created + other.created, 2_500, 'no address twice, whichever import has it first');
  t.equal(one.matched_existing + other.matched_existing, 500);
  t.equal(one.list_id, other.list_id);
  t.ok(mails > 3, `${mails} mails`);
  const list = await instance.request(ann, 'GET', `/v1/contacts/lists/${one.list_id}?limit=1`);
  t.match(await list.json(), { member_count: 2_500 });
  t.same(instance.faults, []);
});

/** The request examples of contacts and notes in the OpenAPI document are ones that the service takes. */

import t from 'tap';
import { createContact } from '../../harness/contacts.ts';
import { startInstance } from '../../harness/instance.ts';

interface Described {
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** Stands in examples for the id of something else. */
const SAMPLE_ID = '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40';

t.test('request examples', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const contact = (await createContact(client, { given_name: 'Ann' })).id;
  const fact = (await client.contacts.remember({ id: contact, fact: 'Likes tea.' })).id;
  const ids: Record<string, string> = {
    '/v1/contacts/{id}': contact,
    '/v1/contacts/{id}/facts/{fact_id}': contact,
    '/v1/contacts/lists/{id}': (await client.contactLists.create({ name: 'Friends' })).id,
    '/v1/notes/{id}': (await client.notes.create({ body: 'Text' })).id,
  };
  const document = (await (await fetch(new URL('/openapi.json', instance.baseUrl))).json()) as {
    info: { description: string };
    tags: { name: string; description: string }[];
    paths: Record<string, Record<string, Described>>;
  };
  const sent: string[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!/^\/v1\/(?:contacts|notes)\b/.test(path)) continue;
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const example = requestBody?.content['application/json']?.example;
      if (example === undefined || JSON.stringify(example).includes(SAMPLE_ID)) continue;
      const url = path.replace('{id}', ids[path] ?? '').replace('{fact_id}', fact);
      const response = await instance.request(ann, method.toUpperCase(), url, example);
      t.ok([200, 201].includes(response.status), `${method} ${path}: ${await response.text()}`);
      sent.push(`${method} ${path}`);
    }
  }
  t.same(sent.toSorted(), [
    'patch /v1/contacts/lists/{id}',
    'patch /v1/contacts/{id}',
    'patch /v1/contacts/{id}/facts/{fact_id}',
    'patch /v1/notes/{id}',
    'post /v1/contacts',
    'post /v1/contacts/import',
    'post /v1/contacts/lists',
    'post /v1/contacts/{id}',
    'post /v1/notes',
  ]);
  t.match(document.info.description, /contacts, notes and a vault/);
  for (const { name, description } of document.tags) t.not(description, name, `the tag ${name} is described`);
  t.same(instance.faults, []);
});

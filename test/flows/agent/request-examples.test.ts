/** The service takes each request example of the OpenAPI document, with ids of what is there in place of the samples. */

import t from 'tap';
import { createContact } from '../../harness/contacts.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

interface Document {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: object }> } }>>;
}

t.test('request examples', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { ann } = instance.agents;
  // Else it has none, and the first mail would suppress its recipient.
  instance.dns.zone.fail('example.com', 'SERVFAIL');
  const client = instance.client(ann);
  await hooks.mail();
  const [mail] = await eventually(async () => {
    const { messages } = await client.messages.list();
    return messages.length > 0 && messages;
  });
  const contact = (await createContact(client, { given_name: 'Ann' })).id;
  const other = (await createContact(client, { given_name: 'Anna' })).id;
  const webhook = (await client.webhooks.create({ url: hooks.url(), events: ['message.sent'] })).id;
  const fact = (await client.contacts.remember({ id: contact, fact: 'Likes tea.' })).id;
  const ofPaths: [path: string, id: string | undefined][] = [
    ['/v1/messages/', mail?.id],
    ['/v1/contacts/lists/', (await client.contactLists.create({ name: 'Friends' })).id],
    ['/v1/contacts/', contact],
    ['/v1/notes/', (await client.notes.create({ body: 'Text' })).id],
  ];
  const ofFields = { survivor_id: contact, loser_id: other, contact_ids: [contact], webhook_id: webhook };

  const document = (await (await fetch(new URL('/openapi.json', instance.baseUrl))).json()) as Document;
  const sent: string[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const example = requestBody?.content['application/json']?.example;
      if (example === undefined) continue;
      const known = Object.entries(ofFields).filter(([field]) => field in example);
      const id = ofPaths.find(([beginning]) => path.startsWith(beginning))?.[1] ?? webhook;
      const filled = path.replace('{id}', id).replace('{fact_id}', fact);
      const url = `${method} ${path}` === 'patch /v1/webhooks' ? `${filled}?id=${id}` : filled;
      const body = { ...example, ...Object.fromEntries(known) };
      const response = await instance.request(ann, method.toUpperCase(), url, body);
      t.ok([200, 201].includes(response.status), `${method} ${path}: ${response.status} ${await response.text()}`);
      sent.push(`${method} ${path}`);
    }
  }
  t.equal(sent.length, 26, sent.join(', '));
  t.match(document.info.description, /contacts, notes and a vault/);
  for (const { name, description } of document.tags) t.not(description, name, `the tag ${name} is described`);
  t.same(instance.faults, []);
});

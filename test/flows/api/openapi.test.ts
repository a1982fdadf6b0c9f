/** The OpenAPI document: what a linter finds in it, and the clients that others' generators make from it. */

import t from 'tap';
import type { Contract } from '../../../src/kernel/operation.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { createConsumer, missingConsumer } from '../../harness/consumer.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { atNight } from '../../harness/long-form.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, unknown>; security?: unknown[] }>
  >;
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

const documentOf = async (instance: TestInstance): Promise<Document> =>
  (await (await fetch(new URL('/openapi.json', instance.baseUrl))).json()) as Document;

/** Every object below a value. */
const objectsIn = (value: unknown): Record<string, unknown>[] =>
  typeof value !== 'object' || value === null
    ? []
    : [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)];

/** The paths are the interface's: `/v1/messages/{id}/raw` stands beside `/v1/messages/pending/{id}`. */
const KNOWN = 'no-ambiguous-paths';

const LINT = `
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
const config = await createConfig({ extends: ['recommended-strict'] });
const source = readFileSync('openapi.json', 'utf8');
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
console.log(JSON.stringify(problems.map(({ ruleId, message }) => ({ ruleId, message }))));
`;

t.test('the document', { skip: missingConsumer }, async (t) => {
  await using instance = await startInstance();
  const document = await documentOf(instance);
  using consumer = createConsumer();
  consumer.write('openapi.json', JSON.stringify(document));

  await t.test('a linter finds nothing', async (t) => {
    consumer.write('lint.ts', LINT);
    const problems = JSON.parse(await consumer.run('lint.ts', {})) as { ruleId: string }[];
    t.same(
      problems.filter(({ ruleId }) => ruleId !== KNOWN),
      [],
      'redocly',
    );
  });

  await t.test('no description names a tool that REST has not', async (t) => {
    const known = new Set(
      Object.values(document.paths)
        .flatMap(Object.values)
        .map(({ operationId }) => operationId),
    );
    const names = Object.values<Contract>(contracts).flatMap((contract) =>
      Object.values(contract).map((of) => of.name),
    );
    const descriptions = objectsIn(document).map(({ description }) => description);
    const words = new Set(JSON.stringify(descriptions).match(/\w+/g));
    t.ok(names.includes('lookup_contact'));
    t.same(
      names.filter((name) => !known.has(name) && words.has(name)),
      [],
    );
  });

  await t.test('further fields of an error are named', async (t) => {
    const fieldsOf = (path: string, method: string, status: string) =>
      Object.assign({}, ...objectsIn(document.paths[path]?.[method]?.responses[status]).map((each) => each.properties));
    t.match(document.components, { headers: { RateLimitReset: { description: /since 1970/ } } }, 'a time, not a span');
    t.hasProps(fieldsOf('/v1/domains', 'post', '402'), ['error', 'included', 'used']);
    t.hasProps(fieldsOf('/v1/messages/{id}/attachments/{filename}', 'get', '404'), ['error', 'attachments']);
    t.match(JSON.stringify(Object(document.components).responses.Forbidden), /"scope":\{"type":"string"\}/);
  });

  await t.test('schemas have names, replies may grow, refusals name their codes', async (t) => {
    const { schemas } = document.components;
    for (const name of ['Message', 'SendResult', 'Thread', 'Identity', 'MailRule', 'Webhook', 'Error', 'ErrorCode']) {
      t.ok(schemas[name], name);
    }
    t.match(schemas.ListMessagesReply, {
      properties: { messages: { items: { $ref: '#/components/schemas/Message' } } },
    });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const { operationId, responses, security } of operations) {
      t.notOk(
        objectsIn(responses).some(({ additionalProperties }) => additionalProperties === false),
        `${operationId}: a reply may have more fields one day`,
      );
      for (const status of ['429', '500', '503']) t.ok(responses[status], `${operationId}: ${status}`);
      // Without a key there is none to refuse.
      t.equal('401' in responses, security === undefined, operationId);
    }
    for (const [name, schema] of Object.entries(schemas)) {
      if (name.endsWith('Body')) continue;
      const own = objectsIn(schema).filter(({ additionalProperties }) => additionalProperties === false);
      t.ok(own.length === 0 || /Input$/.test(name), `${name} may grow`);
    }
    const send = document.paths['/v1/messages']?.post;
    t.same(document.paths['/v1/signup']?.post?.security, [], 'signup needs no key');
    t.match(send, {
      parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
      responses: {
        200: { headers: { 'idempotent-replayed': Object, 'x-ratelimit-limit': Object, 'x-request-id': Object } },
        409: { $ref: '#/components/responses/IdempotencyConflict' },
        413: { $ref: '#/components/responses/BodyTooLarge' },
        415: { $ref: '#/components/responses/UnsupportedMediaType' },
        429: { $ref: '#/components/responses/RateLimited' },
      },
    });
    const replyAll = document.paths['/v1/messages/{id}/reply-all']?.post;
    t.match(replyAll?.responses['422'], {
      content: {
        'application/json': {
          schema: { anyOf: [{ $ref: '#/components/schemas/SendResult' }, { allOf: Array }] },
        },
      },
    });
    t.ok(Object.keys(document.webhooks).includes('message.received'));
    for (const path of Object.values(document.paths)) {
      for (const { operationId, requestBody } of Object.values(path) as {
        operationId: string;
        requestBody?: unknown;
      }[]) {
        if (requestBody === undefined) continue;
        t.match(requestBody, { content: { 'application/json': { example: Object } } }, `${operationId} has an example`);
      }
    }
    const example = (send as unknown as { requestBody: { content: Record<string, { example: object }> } }).requestBody;
    const sent = await instance.request(
      instance.agents.ann,
      'POST',
      '/v1/messages',
      example.content['application/json']?.example,
    );
    t.match(await sent.json(), { status: 'sent' }, 'the example is one that works');
    const long = objectsIn(document).filter(({ pattern }) => typeof pattern === 'string' && pattern.length > 60);
    t.same(long, [], 'no pattern that nobody reads');
  });

  const env = { POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: instance.agents.ann.key };
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] });

  await t.test('openapi-typescript with openapi-fetch', async (t) => {
    await consumer.bin('openapi-typescript', 'openapi.json', '-o', 'schema.ts');
    consumer.write(
      'fetch.ts',
      `import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

const client = createClient<paths>({
  baseUrl: process.env.POSTROOM_URL ?? '',
  headers: { authorization: \`Bearer \${process.env.POSTROOM_API_KEY}\` },
});
const list = await client.GET('/v1/messages', { params: { query: { limit: 1, unread_only: true } } });
const message: components['schemas']['Message'] | undefined = list.data?.messages[0];
const sent = await client.POST('/v1/messages', {
  params: { header: { 'Idempotency-Key': 'one' } },
  body: { to: ['carol@remote.test'], subject: 'From openapi-fetch', body: 'Hi' },
});
const missing = await client.GET('/v1/messages/{id}', { params: { path: { id: crypto.randomUUID() } } });
const code: components['schemas']['ErrorCode'] | undefined = missing.error?.error;
console.log(JSON.stringify([message?.subject, sent.data?.status, code]));
`,
    );
    await consumer.check('fetch.ts');
    t.same(JSON.parse(await consumer.run('fetch.ts', env)), ['A question', 'sent', 'message_not_found']);
  });

  await t.test('@hey-api/openapi-ts', { skip: atNight }, async (t) => {
    await consumer.bin('openapi-ts', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch');
    consumer.write(
      'hey.ts',
      `import { client } from './hey/client.gen.js';
import { getMessage, listMessages, sendMessage } from './hey/index.js';

client.setConfig({ baseUrl: process.env.POSTROOM_URL ?? '', auth: () => process.env.POSTROOM_API_KEY ?? '' });
const list = await listMessages({ query: { limit: 1 } });
const sent = await sendMessage({ body: { to: ['carol@remote.test'], subject: 'From hey-api', body: 'Hi' } });
const missing = await getMessage({ path: { id: crypto.randomUUID() } });
console.log(JSON.stringify([list.data?.messages.length, sent.data?.status, missing.error?.error]));
`,
    );
    await consumer.check('hey.ts');
    await consumer.bin(
      'tsc',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--outDir',
      'out',
      'hey.ts',
    );
    t.same(JSON.parse(await consumer.run('out/hey.js', env)), [1, 'sent', 'message_not_found']);
  });

  await eventually(async () => instance.receiver.messages.length >= 1);
});

t.test('one operation with its schemas, and no others', async (t) => {
  await using instance = await startInstance();
  const read = async (query: string) => {
    const reply = await fetch(`${instance.baseUrl}/openapi.json${query}`);
    return {
      status: reply.status,
      body: (await reply.json()) as Record<string, Record<string, Record<string, unknown>>>,
    };
  };
  const { body } = await read('?operation=send_message');
  t.same(Object.keys(body.paths ?? {}), ['/v1/messages']);
  t.same(Object.keys(body.paths?.['/v1/messages'] ?? {}), ['post']);
  const text = JSON.stringify(body);
  for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g))
    t.ok(body.components?.[kind]?.[name], `${kind} ${name} is there`);
  t.notOk(body.components?.schemas?.Webhook);
  const { enum: codes = [] } = (body.components?.schemas?.ErrorCode ?? {}) as { enum?: string[] };
  t.ok(codes.includes('invalid_email') && !codes.includes('handle_taken'), `its own codes: ${codes.join(' ')}`);
  t.equal(text.match(/"hint":"/g), null, 'no refusal twice');
  t.ok(text.length < 15_000, `${text.length} characters`);
  t.match(await read('?operation=none'), {
    status: 400,
    body: { error: 'invalid_request', hint: /"none".*skill\.md/ },
  });
});

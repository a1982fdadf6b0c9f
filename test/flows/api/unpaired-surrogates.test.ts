/** Half of a character, which no store keeps as it is, in every text field of every operation. */

import t from 'tap';
import { z } from 'zod';
import { inputOf } from '../../../src/access/reach.ts';
import { MINUTE } from '../../../src/kernel/clock.ts';
import { proseInputs } from '../../../src/kernel/fields.ts';
import { hasBody, isRouted, type Operation } from '../../../src/kernel/operation.ts';
import { bareSchema, fieldsOf, itemOf, pickLayer } from '../../../src/kernel/schema-walk.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

const HALF = 'x\ud800y';
const ID = '01890000-0000-7000-8000-000000000000';
const CALLS_A_MINUTE = 25;

interface Filled {
  field: string;
  input: Record<string, unknown>;
  isProse: boolean;
}

/** A value for each text below a schema, with half of a character there. */
const fillings = (schema: z.ZodType): { path: string; value: unknown; isProse: boolean }[] => {
  const isProse = pickLayer(schema, (layer) => proseInputs.get(layer)) !== undefined;
  const bare = bareSchema(schema);
  const item = itemOf(schema);
  if (item) return fillings(item).map((each) => ({ ...each, path: `*.${each.path}`, value: [each.value] }));
  if (bare instanceof z.ZodRecord) {
    return [
      { path: '(value)', value: { key: HALF }, isProse },
      { path: '(key)', value: { [HALF]: 'value' }, isProse: false },
    ];
  }
  const fields = Object.entries(fieldsOf(schema));
  if (fields.length === 0) return [{ path: '', value: HALF, isProse }];
  return fields.flatMap(([name, field]) =>
    fillings(field).map(({ path, value, isProse: own }) => ({
      path: `${name}.${path}`,
      value: { [name]: value },
      isProse: own,
    })),
  );
};

const fillingsOf = (operation: Operation, kind: 'agent' | 'owner'): Filled[] =>
  fillings(inputOf(operation, { kind }))
    .filter(({ path }) => path !== '')
    .map(({ path, value, isProse }) => ({
      field: path,
      input: value as Record<string, unknown>,
      isProse,
    }));

t.test('half of a character is refused in every field but those of prose, and never a fault', async (t) => {
  let ahead = 0;
  let calls = 0;
  await using instance = await startInstance({ runtime: { clock: { now: () => Date.now() + ahead } } });
  const { ann } = instance.agents;
  const count = () => {
    calls += 1;
    if (calls % CALLS_A_MINUTE === 0) ahead += MINUTE;
  };
  const check = (what: string, { field, isProse }: Filled, status: number, body: unknown) => {
    const { error, hint } = body as { error?: string; hint?: string };
    const isRefused = status >= 400 && status < 500 && status !== 429 && typeof error === 'string';
    // Text that is mended may lack other fields.
    if (!isProse && !isRefused) t.fail(`${what} ${field}: ${status}`);
    if (isProse && status >= 500) t.fail(`${what} ${field}: ${status}`);
    if (!isProse && error === 'invalid_request' && !hint?.includes('half of a character')) {
      // Values that are not repeated are not described.
      t.match(hint, /not repeated/, `${what} ${field}: ${hint}`);
    }
  };

  const routed = Object.values(contracts).flatMap((contract) => Object.values<Operation>(contract));
  for (const operation of routed) {
    if (!isRouted(operation) || !hasBody(operation)) continue;
    const path = operation.path.replace(/\{[^}]+\}/g, ID);
    const named = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    for (const filled of fillingsOf(operation, 'agent')) {
      const [name = ''] = filled.field.split('.');
      if (named.includes(name) || operation.query?.includes(name)) continue;
      count();
      const reply = await instance.request(ann, operation.method, path, filled.input);
      check(operation.name, filled, reply.status, await reply.json());
    }
  }

  const browser = await signInOwner(instance);
  for (const [noun, contract] of Object.entries(contracts)) {
    for (const [act, operation] of Object.entries<Operation>(contract)) {
      if (!operation.audience.includes('owner') && !operation.audience.includes('session')) continue;
      for (const filled of fillingsOf(operation, 'owner')) {
        count();
        const { status, body } = await browser.call(`${noun}/${act}`, filled.input);
        check(operation.name, filled, status, body);
      }
    }
  }
  t.ok(calls > 300, `${calls} calls`);
  t.same(instance.faults, []);

  await t.test('of what is taken, the same comes back', async (t) => {
    const key = { type: 'api_key', value: { key: 'k-0123456789' } };
    const refused = await browser.call('secrets/add', { name: 'mail \ud800 key', ...key }, 'acme');
    t.match([refused.status, refused.body.error], [400, 'invalid_request']);
    const kept = await browser.call('secrets/add', { name: 'mail \u{1f511} key', ...key }, 'acme');
    t.equal(kept.status, 200);
    const opened = await browser.call('secrets/get', { id: kept.body.id }, 'acme');
    t.match(opened.body, { secret: { key: 'k-0123456789' } });

    const note = await (await instance.request(ann, 'POST', '/v1/notes', { title: 'T', body: 'a\ud800b' })).json();
    t.match(note, { body: 'a\ufffdb' });
    t.match(await (await instance.request(ann, 'GET', `/v1/notes/${(note as { id: string }).id}`)).json(), note);
    const mail = { to: [instance.agents.bob.address], subject: 'S\ud83d', body: 'B\udc00', html: '<p>\ud83d</p>' };
    const sent = (await (await instance.request(ann, 'POST', '/v1/messages', mail)).json()) as { messageId: string };
    const read = await (await instance.request(ann, 'GET', `/v1/messages/${sent.messageId}`)).json();
    t.match(read, { subject: 'S\ufffd', text: 'B\ufffd' });
  });

  await t.test('nor by a tool, at any depth', async (t) => {
    await using mcp = await connectMcp(instance, ann);
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.stringify(await mcp.client.callTool({ name, arguments: input }));
    t.match(await call('list_messages', { cursor: HALF }), /half of a character/);
    t.notMatch(await call('search_messages', { q: HALF }), /"isError":true/);
    const template = Array.from({ length: 2_000 }).reduce<unknown>((within) => [within], HALF);
    const reply = await instance.request(ann, 'POST', '/v1/webhooks', { url: 'https://x.test/', events: [], template });
    t.equal(reply.status, 400);
  });
  t.same(instance.faults, []);
});

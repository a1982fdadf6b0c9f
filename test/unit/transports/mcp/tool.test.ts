import t from 'tap';
import { z } from 'zod';
import { cursorInput, limitInput, pathId } from '../../../../src/kernel/fields.ts';
import { type AgentOperation, operation, toolOnly } from '../../../../src/kernel/operation.ts';
import { untrustedText } from '../../../../src/kernel/untrusted-fields.ts';
import { toTools } from '../../../../src/transports/mcp/tool.ts';

const read = {
  name: 'get_widget',
  method: 'GET',
  path: '/v1/widgets/{id}',
  scope: 'mail:read',
  summary: 'One widget.',
  errors: [],
} as const;

const toolOf = (given: AgentOperation) => {
  const tool = toTools([{ operation: given, handle: async () => ({}) }]).get(given.name);
  if (!tool) throw new Error('No tool was made.');
  return tool;
};

t.test('an operation that says nothing of tools is one all the same', async (t) => {
  const tool = toolOf(
    operation({
      ...read,
      input: z.strictObject({ id: pathId('message_not_found'), verbose: z.boolean().default(false) }),
      output: z.object({ id: z.uuid(), size: z.int(), note: z.string().nullable() }),
    }),
  );
  t.same(tool.listing, {
    name: 'get_widget',
    title: 'Get widget',
    description: 'One widget. Returns id, size, note.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: { widget_id: { type: 'string' }, verbose: { type: 'boolean' } },
      required: ['widget_id'],
    },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  });
  t.same(tool.arguments.read({ widget_id: 'x' }), { input: { id: 'x' }, idempotencyKey: null });
});

t.test('ids are named for their thing, in the path and in the query', async (t) => {
  const nameOf = (path: string) => {
    const capability = operation({
      ...read,
      path,
      input: z.strictObject({ id: z.uuid() }),
      output: z.object({ ok: z.boolean() }),
    });
    return Object.keys(toolOf(capability).listing.inputSchema.properties)[0];
  };
  t.equal(nameOf('/v1/messages/{id}/archive'), 'message_id');
  t.equal(nameOf('/v1/messages/pending/{id}'), 'pending_id');
  t.equal(nameOf('/v1/contacts/lists/{id}/members'), 'list_id');
  t.equal(nameOf('/v1/knowledge/pages/{id}'), 'page_id');
  t.equal(nameOf('/v1/identity/rules/{id}'), 'rule_id');
  t.equal(nameOf('/v1/webhooks'), 'webhook_id');
  t.equal(nameOf('/v1/domains'), 'domain_id');
});

t.test('arguments: other names, small pages, own defaults, a key for what may be repeated', async (t) => {
  const { arguments: taken, listing } = toolOf(
    operation({
      ...read,
      method: 'POST',
      input: z.strictObject({ id: z.uuid(), limit: limitInput(100, 20), cursor: cursorInput, text: z.string() }),
      output: z.object({ rows: z.array(z.object({ a: z.string() })) }),
      statuses: [200, 202],
      idempotent: true,
      tool: { rename: { text: 'words' }, defaults: { cursor: 'first' } },
    }),
  );
  t.same(taken.read({ widget_id: 'x', words: 'w', limit: 7, idempotency_key: 'k' }), {
    input: { id: 'x', text: 'w', limit: 7, cursor: 'first' },
    idempotencyKey: 'k',
  });
  t.match(taken.read({}), { input: { limit: 10 } });
  t.same(listing.inputSchema.required, ['widget_id', 'words']);
  t.match(listing.inputSchema.properties, {
    limit: { default: 10, maximum: 100 },
    idempotency_key: { type: 'string' },
  });
  t.match(taken.read({ id: 'x' }), { input: { id: 'x' } }, "a field's own name is understood");
  t.throws(() => taken.read({ id: 'x', widget_id: 'y' }), { code: 'invalid_request', hint: /^Say `widget_id` alone/ });
  t.throws(() => taken.read({ idempotency_key: 7 }), { code: 'invalid_request' });
  t.throws(() => taken.read({ other: 1 }), { code: 'invalid_request', hint: 'There is no argument `other`.' });
  t.equal(taken.reword('`text`: Too big.'), '`words`: Too big.');
  t.equal(taken.reword('Something else about `text`.'), 'Something else about `text`.');
  t.match(listing.description, /202\) is a success: never send it again/);
  t.match(listing.annotations, { readOnlyHint: false, destructiveHint: false, idempotentHint: false });
});

t.test('what a contract says of its tool', async (t) => {
  const output = z.object({ ok: z.boolean() });
  const described = toolOf(
    toolOnly({
      name: 'do_thing',
      scope: null,
      summary: 'Does it.',
      input: z.strictObject({}),
      output,
      errors: [],
      tool: { when: 'to have it done', returns: 'ok', hints: { openWorld: true } },
    }),
  );
  t.equal(described.listing.description, 'Does it. Use to have it done. Returns ok.');
  t.match(described.listing.annotations, { readOnlyHint: false, openWorldHint: true });
  const none = operation({ ...read, input: z.strictObject({}), output, tool: { none: 'It is bytes.' } });
  t.equal(toTools([{ operation: none, handle: async () => ({}) }]).size, 0);
});

t.test('an output is an object, whatever its contract makes it of', async (t) => {
  const either = z.union([z.object({ a: z.string(), b: z.int() }), z.object({ a: z.string(), c: z.boolean() })]);
  t.same(toolOf(operation({ ...read, input: z.strictObject({}), output: either })).listing.outputSchema, {
    type: 'object',
    properties: { a: { type: 'string' } },
  });
  t.throws(() => toolOf(operation({ ...read, input: z.strictObject({}), output: z.array(z.string()) })).listing);
});

t.test('untrusted fields are found at any depth, and are null in the schema', async (t) => {
  const mail = z.object({ id: z.string(), text: untrustedText(z.string()) });
  const { untrusted, listing } = toolOf(
    operation({ ...read, input: z.strictObject({}), output: z.object({ one: mail.nullable(), more: z.array(mail) }) }),
  );
  t.same(untrusted, [
    { path: ['one', 'text'], form: 'text', shownFor: null },
    { path: ['more', '*', 'text'], form: 'text', shownFor: null },
  ]);
  t.same(listing.outputSchema.properties, { more: { type: 'array', items: { type: 'object' } } });
});

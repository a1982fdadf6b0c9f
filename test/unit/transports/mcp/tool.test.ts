import t from 'tap';
import { z } from 'zod';
import { ApiError } from '../../../../src/kernel/errors.ts';
import { cursorInput, limitInput, pathId } from '../../../../src/kernel/fields.ts';
import { type Operation, operation, toolOnly } from '../../../../src/kernel/operation.ts';
import { toTools } from '../../../../src/transports/mcp/tools/tool.ts';
import { withShapesOnce } from '../../../../src/transports/mcp/tools/tool-schema.ts';

const read = {
  name: 'get_widget',
  route: 'GET /v1/widgets/{id}',
  scope: 'mail:read',
  summary: 'One widget.',
} as const;

const toolOf = (given: Operation) => {
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
    description: 'One widget.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: { widget_id: { type: 'string' }, verbose: { type: 'boolean' } },
      required: ['widget_id'],
    },
    outputSchema: { type: 'object' },
  });
  t.same(tool.arguments.read({ widget_id: 'x' }), { input: { id: 'x' }, idempotencyKey: null, isDetailed: false });
});

t.test('JSON in a string is read where an argument is no string, as Claude Code writes it', async (t) => {
  const { arguments: given } = toolOf(
    operation({
      ...read,
      route: 'GET /v1/widgets',
      tool: { detail: true },
      input: z.strictObject({
        to: z.array(z.string()),
        size: z.int().nullable().optional(),
        verbose: z.boolean().optional(),
        parts: z.object({ a: z.string() }).optional(),
        note: z.string().nullable().optional(),
      }),
      output: z.object({ ok: z.boolean() }),
    }),
  );
  t.same(
    given.read({ to: '["a@b.test"]', size: '5', verbose: 'false', parts: '{"a":"1"}', note: '[5]', detail: 'true' }),
    {
      input: { to: ['a@b.test'], size: 5, verbose: false, parts: { a: '1' }, note: '[5]' },
      idempotencyKey: null,
      isDetailed: true,
    },
  );
  t.equal(given.read({ detail: null }).isDetailed, false);
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  const wide = `[${'[],'.repeat(100_000)}[]]`;
  for (const to of ['a@b.test', '', '["a@b.test"', deep, wide])
    t.same(given.read({ to }).input, { to }, 'refused as it is');
});

t.test(
  'a body with its line ends spelled out has them, and one with line ends of its own is as it was meant',
  async (t) => {
    const input = z.strictObject({ body: z.string(), subject: z.string().optional() });
    const { arguments: given } = toolOf(
      operation({ ...read, route: 'GET /v1/widgets', input, output: z.object({ ok: z.boolean() }) }),
    );
    const bodyOf = (body: string) => given.read({ body }).input.body;
    t.equal(bodyOf('Hi,\\n\\nthe \\"offer\\"\\nis in.'), 'Hi,\n\nthe "offer"\nis in.');
    t.equal(bodyOf('Hi,\\r\\n\\r\\nAnn'), 'Hi,\n\nAnn');
    for (const body of ['C:\\new\\notes', 'Split at \\n\\n:\nso it is done.', 'a\\nb']) t.equal(bodyOf(body), body);
    t.same(given.read({ body: 'x', subject: 'a\\n\\nb' }).input, { body: 'x', subject: 'a\\n\\nb' }, 'a body alone');
  },
);

t.test('an empty string is an optional argument that is left out, save where something is changed', async (t) => {
  const taken = (route: `${'GET' | 'PATCH'} /v1/widgets/{id}`) =>
    toolOf(
      operation({
        ...read,
        route,
        input: z.strictObject({ id: z.uuid(), note: z.string().optional(), size: z.int().optional() }),
        output: z.object({ ok: z.boolean() }),
      }),
    ).arguments;
  const filled = { widget_id: '', note: '', size: '' };
  t.same(taken('GET /v1/widgets/{id}').read(filled).input, { id: '' }, 'what is required is refused as it is');
  t.same(taken('PATCH /v1/widgets/{id}').read(filled).input, { id: '', note: '', size: '' });
  t.throws(() => taken('GET /v1/widgets/{id}').read({ other: '' }), { code: 'invalid_request' });
});

t.test('what a client adds to the arguments of its own is left aside, and a mistyped name is not', async (t) => {
  const taken = (input: z.ZodObject) =>
    toolOf(operation({ ...read, route: 'GET /v1/widgets', input, output: z.object({ ok: z.boolean() }) })).arguments;
  const some = taken(z.strictObject({ size: z.int().optional() }));
  t.same(some.read({ size: 7, toolCallId: 'call_1', _meta: {} }).input, { size: 7 }, 'n8n and others');
  t.throws(() => some.read({ tool_call_id: 'call_1' }), { code: 'invalid_request' });
  const none = taken(z.strictObject({}));
  t.same(none.read({ random_string: 'x', chatInput: 'Hello' }).input, {}, 'Cursor and n8n fill in something');
});

t.test('ids are named for their thing, in the path and in the query', async (t) => {
  const nameOf = (path: `/${string}`) => {
    const capability = operation({
      ...read,
      route: `GET ${path}`,
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
      route: 'POST /v1/widgets/{id}',
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
    isDetailed: false,
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
  t.equal(taken.read({ idempotency_key: null }).idempotencyKey, null, 'as left out');
  t.throws(() => taken.read({ other: 1 }), {
    code: 'invalid_request',
    hint: 'There is no argument `other`; there are `widget_id`, `limit`, `cursor`, `words`, `idempotency_key`.',
  });
  const tooLong = new ApiError('invalid_request', {
    fault: { field: 'text', rule: 'at_most', allowed: 5, unit: 'character', given: 'abcdef' },
  });
  t.equal(tooLong.hint, '`text` has at most 5 characters, not "abcdef".');
  t.equal(tooLong.hintIn(taken.names), '`words` has at most 5 characters, not "abcdef".');
  t.throws(() => taken.read({ wrods: 'x' }), {
    code: 'invalid_request',
    hint: /^There is no argument `wrods`; the nearest is `words`; there are /,
  });
  t.match(listing.description, /is a success: never send it again/);
  t.same(listing.annotations, { destructiveHint: false, openWorldHint: false }, 'the rest is as the protocol has it');
});

t.test('what a contract says of its tool', async (t) => {
  const output = z.object({ ok: z.boolean() });
  const described = toolOf(
    toolOnly({
      name: 'do_thing',
      scope: null,
      summary: 'Does it.',
      output,
      tool: { when: 'to have it done', returns: 'ok', hints: { openWorld: true } },
    }),
  );
  t.equal(described.listing.description, 'Does it. Use to have it done.');
  t.same(described.listing.annotations, { destructiveHint: false });
  const none = operation({ ...read, input: z.strictObject({}), output, tool: { none: 'It is bytes.' } });
  t.equal(toTools([{ operation: none, handle: async () => ({}) }]).size, 0);
});

t.test('in the list of all tools a schema is what must be known, and a shared shape stands once', async (t) => {
  const rows = z.array(z.object({ kind: z.enum(['a', 'b']), value: z.string().max(9), label: z.string().nullable() }));
  const input = z.strictObject({ id: z.uuid(), limit: limitInput(100, 20), rows: rows.optional() });
  const made = (name: string) => toolOf(operation({ ...read, name, input, output: z.object({ ok: z.boolean() }) }));
  const [one, two] = withShapesOnce([made('get_widget').brief, made('get_gadget').brief]);
  t.same(one?.inputSchema, {
    type: 'object',
    required: ['widget_id'],
    properties: {
      widget_id: { type: 'string' },
      limit: { type: 'integer' },
      rows: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kind', 'value', 'label'],
          properties: {
            kind: { type: 'string', enum: ['a', 'b'] },
            value: { type: 'string' },
            label: { type: 'string' },
          },
        },
      },
    },
  });
  t.same(two?.inputSchema.properties.rows, {
    type: 'array',
    items: { type: 'object' },
    description: 'As in get_widget',
  });
});

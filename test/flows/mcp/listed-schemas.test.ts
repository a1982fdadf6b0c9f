import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

interface Schema {
  type?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** The schemas within one, and itself, that say no type. */
const untyped = (schema: Schema): Schema[] => [
  ...(schema.type === undefined && schema.anyOf === undefined ? [schema] : []),
  ...[...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])].flatMap(untyped),
  ...(schema.items ? untyped(schema.items) : []),
];

t.test('each list of tools has schemas that providers of models take', async (t) => {
  await using instance = await startInstance();
  for (const query of ['', '?tools=core', '?tools=mail,identity,contacts,webhooks']) {
    await using ann = await connectMcp(instance, instance.agents.ann, query);
    const { tools } = await ann.client.listTools();
    t.ok(tools.length > 10);
    for (const { name, inputSchema } of tools) {
      t.type(inputSchema.properties, 'object', `${name}: OpenAI takes no tool without them`);
      t.same(untyped(inputSchema as Schema), [], `${name}: Gemini and Kimi take no list with one`);
    }
  }
});

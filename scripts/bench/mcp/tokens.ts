/** What an agent pays for reading mail and for its tools, beside the same answers as REST has them. */

import { startInstance } from '../../../test/harness/instance.ts';
import { connectMcp, tokensOf } from '../../../test/harness/mcp/mcp-client.ts';
import { fillMailbox, TEXT } from '../../../test/harness/mcp/sample-mail.ts';
import type { Bench } from '../bench.ts';

/** Measured before the answers had one compact shape: one mail of 270 characters, a thread of six, the list of tools. */
const BEFORE = { mail: 816, thread: 5_800, tools: 12_198 } as const;

const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);

export const tokenCosts: Bench = {
  name: 'tokens',
  summary: 'tokens (characters / 4) of answers and lists over MCP',
  run: async () => {
    await using instance = await startInstance();
    const { ann } = instance.agents;
    await using mcp = await connectMcp(instance, ann);
    await using core = await connectMcp(instance, ann, '?tools=core');
    const rest = instance.client(ann);
    await fillMailbox(instance, 20);
    const [first] = (await rest.messages.list({ limit: 20 })).messages;
    const id = first?.id ?? '';
    const threadId = first?.thread_id ?? '';
    for (let index = 0; index < 5; index += 1) await rest.messages.reply({ id, body: TEXT });
    const row = async (what: string, tool: string, args: Record<string, unknown>, reply: unknown, before?: number) => [
      ...[what, tokensOf(await mcp.call(tool, args)), tokens(reply), before ?? ''],
    ];
    const rows = [
      await row('a list of 20', 'list_messages', { limit: 20 }, await rest.messages.list({ limit: 20 })),
      await row('an ordinary mail', 'get_message', { message_id: id }, await rest.messages.get({ id }), BEFORE.mail),
      await row(
        ...(['a thread of six, whole', 'get_thread', { thread_id: threadId, include: 'text' }] as const),
        await rest.threads.get({ id: threadId, include: 'text' }),
        BEFORE.thread,
      ),
      await row(
        ...(['a search of ten hits', 'search_messages', { q: 'invoice', limit: 10 }] as const),
        await rest.search.search({ q: 'invoice', limit: 10 }),
      ),
      ['tools at /mcp', tokens((await mcp.client.listTools()).tools), '', BEFORE.tools],
      ['tools at /mcp?tools=core', tokens((await core.client.listTools()).tools), '', BEFORE.tools],
    ];
    const columns = ['what', 'MCP', 'REST', 'before'];
    return { tables: [{ title: 'Tokens', columns, rows }], document: { rows } };
  },
};

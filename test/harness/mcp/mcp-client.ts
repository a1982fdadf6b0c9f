/** The official client against a test box's `/mcp`. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { TestAgent, TestInstance } from '../instance.ts';

/** A tool's answer: what it says in its structure, and what it says in words. */
export interface ToolAnswer {
  structured: Record<string, unknown>;
  /** Text blocks, the structure's own first. */
  texts: string[];
  /** What a refusal says; null where there is none. */
  refusal: ({ error: string; hint: string } & Record<string, unknown>) | null;
  result: CallToolResult;
}

export interface McpAgent extends AsyncDisposable {
  client: Client;
  transport: StreamableHTTPClientTransport;
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<ToolAnswer>;
}

export const answerOf = (result: CallToolResult): ToolAnswer => {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return {
    structured: result.structuredContent ?? {},
    texts,
    refusal: result.isError ? (JSON.parse(texts[0] ?? '') as ToolAnswer['refusal']) : null,
    result,
  };
};

/** A session of the agent's. Its client has listed the tools, and so checks each answer against its schema. */
export const connectMcp = async (
  instance: Pick<TestInstance, 'baseUrl'>,
  { key }: Pick<TestAgent, 'key'>,
): Promise<McpAgent> => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', instance.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await client.listTools();
  return {
    client,
    transport,
    call: async (name, args = {}, options = {}) =>
      answerOf((await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult),
    [Symbol.asyncDispose]: async () => {
      // A test's clock or restart may have ended it before.
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
};

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

const QUOTED = /^Fields that are null above.*\nbegin \S{16}\n(.*)\nend \S{16}$/;

/** A structure with the fields that stand in a block of their own, as a model puts both together. */
const merge = (structured: unknown, quoted: unknown): unknown => {
  if (quoted === undefined || quoted === null) return structured;
  if (Array.isArray(structured) && Array.isArray(quoted)) {
    const own = (item: unknown, at: number) => {
      const { id } = item as { id?: string };
      return id === undefined ? quoted[at] : quoted.find((each) => (each as { id?: string }).id === id);
    };
    return structured.map((item, at) => merge(item, own(item, at)));
  }
  if (typeof structured !== 'object' || structured === null) return quoted;
  const told = quoted as Record<string, unknown>;
  return Object.fromEntries(Object.entries(structured).map(([name, value]) => [name, merge(value, told[name])]));
};

/** What an answer tells in both. */
export const toldBy = ({ structured, texts }: ToolAnswer): Record<string, unknown> => {
  const block = texts.flatMap((text) => QUOTED.exec(text)?.[1] ?? []).at(0);
  return merge(structured, block && JSON.parse(block)) as Record<string, unknown>;
};

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

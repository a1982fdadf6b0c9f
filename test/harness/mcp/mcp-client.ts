/** The official client against a test box's `/mcp`. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { TestAgent, TestInstance } from '../instance.ts';

/** A tool's answer: what it says in its structure, and what it says in words. */
export interface ToolAnswer {
  structured: Record<string, unknown>;
  /** The structure with what stands in the fenced block. */
  readonly told: Record<string, unknown>;
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

const FENCED = /^Written by .*\nbegin (\S{16})\n(.*)\nend \1$/;

interface Table {
  each?: Record<string, unknown>;
  columns: string[];
  rows: unknown[][];
}

const isTable = (value: object): value is Table => 'columns' in value && 'rows' in value;

/** Compact JSON as a model reads it: the rows of a table as records. */
const unpack = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  if (isTable(value)) {
    const { each = {}, columns, rows } = value;
    return rows.map((row) => unpack({ ...each, ...Object.fromEntries(columns.map((name, at) => [name, row[at]])) }));
  }
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unpack(field)]));
};

/** A structure with the fields that stand in the fenced block, as a model puts both together. */
const merge = (structured: unknown, quoted: unknown): unknown => {
  if (quoted === undefined || quoted === null) return structured;
  if (Array.isArray(structured) && Array.isArray(quoted)) {
    const own = (item: unknown, at: number) => {
      const record = item as Record<string, unknown>;
      const isOf = ({ id }: { id?: string }) =>
        id !== undefined && Object.values(record).some((each) => typeof each === 'string' && each.endsWith(id));
      return quoted.every((each) => (each as { id?: string })?.id === undefined) ? quoted[at] : quoted.find(isOf);
    };
    return structured.map((item, at) => merge(item, own(item, at)));
  }
  if (typeof structured !== 'object' || structured === null || typeof quoted !== 'object') return quoted;
  const { id: _, by: __, ...told } = quoted as Record<string, unknown>;
  const names = new Set([...Object.keys(structured), ...Object.keys(told)]);
  const own = structured as Record<string, unknown>;
  return Object.fromEntries([...names].map((name) => [name, merge(own[name], told[name])]));
};

/** What stands in the fenced block; null without one. */
export const quotedIn = ({ texts }: Pick<ToolAnswer, 'texts'>): Record<string, unknown> | null => {
  const blocks = texts.slice(1).flatMap((text) => FENCED.exec(text)?.[2] ?? []);
  if (blocks.length > 1) throw new Error('More than one fenced block');
  return blocks[0] === undefined ? null : (unpack(JSON.parse(blocks[0])) as Record<string, unknown>);
};

/** Tokens that its text blocks cost: a token is four characters, near enough. */
export const tokensOf = ({ texts }: Pick<ToolAnswer, 'texts'>): number => Math.ceil(texts.join('').length / 4);

export const answerOf = (result: CallToolResult): ToolAnswer => {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const structured = result.structuredContent ?? {};
  return {
    structured,
    get told() {
      return merge(structured, quotedIn({ texts })) as Record<string, unknown>;
    },
    texts,
    refusal: result.isError ? (JSON.parse(texts[0] ?? '') as ToolAnswer['refusal']) : null,
    result,
  };
};

/** A session of the agent's. Its client has listed the tools, and so checks each answer against its schema. */
export const connectMcp = async (
  instance: Pick<TestInstance, 'baseUrl'>,
  { key }: Pick<TestAgent, 'key'>,
  query = '',
): Promise<McpAgent> => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`/mcp${query}`, instance.baseUrl), {
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

/** Requests of revision 2026-07-28, spoken by hand. */

import type { TestInstance } from '../instance.ts';
import { type McpReply, type McpRequest, mcpRequest, messagesIn } from './mcp-request.ts';

const REVISION = '2026-07-28';

export interface CurrentRequest extends Pick<McpRequest, 'onReply'> {
  capabilities?: object;
  /** Of the agent that is meant; left out where the token is for one. */
  agent?: string;
}

export const currentRequest = (
  instance: Pick<TestInstance, 'baseUrl'>,
  key: string,
  method: string,
  params: Record<string, unknown>,
  { capabilities = {}, agent, onReply }: CurrentRequest = {},
): Promise<McpReply> =>
  mcpRequest(
    instance,
    { key },
    {
      ...(onReply && { onReply }),
      headers: {
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.uri),
        ...(agent !== undefined && { 'x-svc-agent': agent }),
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': REVISION,
            'io.modelcontextprotocol/clientInfo': { name: 'hand', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': capabilities,
          },
        },
      },
    },
  );

export interface CurrentAnswer {
  status: number;
  headers: McpReply['headers'];
  result?: { structuredContent?: Record<string, unknown>; isError?: boolean; [key: string]: unknown };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** The message that answers the request. */
export const answerIn = (reply: McpReply): CurrentAnswer => {
  const { status, headers, body } = reply;
  const message = messagesIn(reply).at(-1) ?? (JSON.parse(body) as object);
  return { status, headers, ...message };
};

/** A tool's answer, or what it refused with. */
export const callTool = async (
  instance: Pick<TestInstance, 'baseUrl'>,
  key: string,
  name: string,
  args: object = {},
  { more = {}, ...options }: CurrentRequest & { more?: object } = {},
) => answerIn(await currentRequest(instance, key, 'tools/call', { name, arguments: args, ...more }, options));

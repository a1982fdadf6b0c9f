/** Requests of revision 2026-07-28, spoken by hand. */

import type { TestInstance } from '../instance.ts';
import { type McpReply, type McpRequest, mcpRequest, messagesIn } from './mcp-request.ts';

export const REVISION = '2026-07-28';

export const currentMessage = (method: string, params: object = {}, capabilities = {}) => ({
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
});

/** @param name of the tool or the URI of the resource that the message names */
export const currentHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

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
        ...currentHeaders(method, String(params.name ?? params.uri)),
        ...(agent !== undefined && { 'x-svc-agent': agent }),
      },
      body: currentMessage(method, params, capabilities),
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

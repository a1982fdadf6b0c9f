/** `/mcp` spoken by hand: for what the official client does not say. */

import { request } from 'node:http';
import type { TestAgent, TestInstance } from '../instance.ts';

export interface McpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface McpRequest {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON where it is no text. */
  body?: unknown;
  /** Hangs up as soon as the reply begins. */
  hangUp?: boolean;
  /** Told when the reply begins: what was asked for is under way by then. */
  onReply?: () => void;
}

export const INTRODUCTION = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hand', version: '1' } },
};

/** Node's own client, which sends the Host and Origin that it is told to. */
export const mcpRequest = (
  { baseUrl }: Pick<TestInstance, 'baseUrl'>,
  agent: Pick<TestAgent, 'key'> | null,
  { method = 'POST', headers = {}, body, hangUp = false, onReply }: McpRequest,
): Promise<McpReply> =>
  new Promise((resolve, reject) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(
      new URL('/mcp', baseUrl),
      {
        method,
        headers: {
          ...(agent && { authorization: `Bearer ${agent.key}` }),
          accept: 'application/json, text/event-stream',
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (reply) => {
        const done = (read: string) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: read });
        onReply?.();
        if (hangUp) {
          sent.destroy();
          done('');
          return;
        }
        let read = '';
        reply.setEncoding('utf8').on('data', (part: string) => {
          read += part;
        });
        reply.once('end', () => done(read));
        reply.once('error', reject);
      },
    );
    sent.once('error', (error) => (hangUp ? undefined : reject(error)));
    sent.end(text);
  });

export const initialize = (
  instance: Pick<TestInstance, 'baseUrl'>,
  agent: Pick<TestAgent, 'key'> | null,
  more: McpRequest = {},
) => mcpRequest(instance, agent, { ...more, body: INTRODUCTION });

/** @returns the headers that go with every request of a session that has begun */
export const beginSession = async (
  instance: Pick<TestInstance, 'baseUrl'>,
  agent: Pick<TestAgent, 'key'>,
): Promise<{ 'mcp-session-id': string; 'mcp-protocol-version': string }> => {
  const { headers, status, body } = await initialize(instance, agent);
  if (status !== 200) throw new Error(`initialize was answered ${status}: ${body}`);
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-06-18' };
  await mcpRequest(instance, agent, {
    headers: session,
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  });
  return session;
};

export const toolCall = (id: number, name: string, args: Record<string, unknown> = {}, _meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(_meta && { _meta }) },
});

/** The messages of an event stream. */
export const messagesIn = ({ body }: McpReply): Record<string, unknown>[] =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);

/** The status and code of a refusal; throws where the body has no hint. */
export const refusalIn = ({ status, body }: McpReply): [status: number, code: string] => {
  const { error, hint } = JSON.parse(body) as { error: string; hint: string };
  if (typeof hint !== 'string' || hint === '') throw new Error('An error without a hint');
  return [status, error];
};

/**
 * The typed client: the operations' contracts over HTTP.
 *
 * @example
 * const postroom = createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_…' });
 * const { messages } = await postroom.messages.list({ unread_only: true });
 */

import type { z } from 'zod';
import { type BytesReply, bytesReply, type Contract, type Operation } from '../kernel/operation.ts';
import { identityContract } from '../resources/identity/contract.ts';
import { messagesContract } from '../resources/messages/contract.ts';
import { pendingContract } from '../resources/pending/contract.ts';
import { scheduledContract } from '../resources/scheduled/contract.ts';
import { searchContract } from '../resources/search/contract.ts';
import { suppressionsContract } from '../resources/suppressions/contract.ts';
import { threadsContract } from '../resources/threads/contract.ts';
import { waitsContract } from '../resources/waits/contract.ts';
import { webhooksContract } from '../resources/webhooks/contract.ts';

export interface ClientSettings {
  baseUrl: string;
  apiKey: string;
  /** Another fetch, for a proxy or a test. */
  fetch?: typeof fetch;
}

/** An answer in the interface's error form. */
export class PostroomError extends Error {
  override readonly name = 'PostroomError';
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, code: string, hint: string) {
    super(`${code}: ${hint}`);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export type Calls<C extends Contract> = {
  [K in keyof C]: (input: z.input<C[K]['input']>) => Promise<z.output<C[K]['output']>>;
};

export const createClient = (settings: ClientSettings) => ({
  messages: callsOf(messagesContract, settings),
  pending: callsOf(pendingContract, settings),
  scheduled: callsOf(scheduledContract, settings),
  suppressions: callsOf(suppressionsContract, settings),
  threads: callsOf(threadsContract, settings),
  search: callsOf(searchContract, settings),
  identity: callsOf(identityContract, settings),
  waits: callsOf(waitsContract, settings),
  webhooks: callsOf(webhooksContract, settings),
});

const callsOf = <C extends Contract>(contract: C, settings: ClientSettings): Calls<C> =>
  Object.fromEntries(
    Object.entries(contract).map(([name, operation]) => [
      name,
      (input: Record<string, unknown>) => call(settings, operation, input),
    ]),
  ) as unknown as Calls<C>;

const call = async (
  settings: ClientSettings,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<unknown> => {
  const { url, body } = requestOf(settings.baseUrl, operation, input);
  const response = await (settings.fetch ?? fetch)(url, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${settings.apiKey}`,
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    body,
  });
  if (operation.output === bytesReply && response.ok) return readBytes(response);
  const answer = (await response.json()) as Record<string, unknown>;
  // An answer may have a field of that name: what an endpoint did, or why a source failed.
  if (!response.ok && typeof answer.error === 'string') {
    throw new PostroomError(response.status, answer.error, String(answer.hint));
  }
  return answer;
};

const requestOf = (baseUrl: string, { method, path, query = [] }: Operation, input: Record<string, unknown>) => {
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const url = new URL(filled, baseUrl);
  const hasBody = method === 'POST' || method === 'PATCH';
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || (hasBody && !query.includes(name))) continue;
    url.searchParams.set(name, String(value));
    delete rest[name];
  }
  return { url, body: hasBody ? JSON.stringify(rest) : null };
};

const readBytes = async (response: Response): Promise<BytesReply> => {
  const disposition = response.headers.get('content-disposition') ?? '';
  return {
    contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    filename: decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1] ?? ''),
    content: new Uint8Array(await response.arrayBuffer()),
  };
};

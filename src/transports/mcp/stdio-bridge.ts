/**
 * Connects clients that only use stdio: copies messages line by line between stdin, stdout and the endpoint, and
 * parses only what the transport needs. Ends when either side ends.
 */

import type { Readable, Writable } from 'node:stream';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  InitializeResultSchema,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/text/message-of.ts';

export interface BridgeSettings {
  /** The endpoint's, with its path. */
  url: URL;
  apiKey: string;
  stdin: Readable;
  stdout: Writable;
  /** Receives problems that do not end the bridge. */
  warn: (text: string) => void;
}

/** The endpoint's side has ended. The message has the cause. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  /** Whether the endpoint gave no answer, instead of a refusal. */
  readonly isUnreachable: boolean;

  constructor(message: string, isUnreachable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isUnreachable = isUnreachable;
  }
}

/** A line may be a send with its attachments. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Time for open calls after stdin has ended: a script that pipes its lines in waits for them. */
const LAST_ANSWERS_MS: Millis = 10 * SECOND;
/** Unknown key, foreign name, ended session: later messages would fail, too. */
const FATAL_STATUSES = new Set([401, 403, 404]);
const SERVER_ERROR = -32000;

/** Resolves once stdin has ended. @throws BridgeError once the endpoint has ended */
export const bridgeStdio = async ({ url, apiKey, stdin, stdout, warn }: BridgeSettings): Promise<void> => {
  const near = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_LINE_BYTES });
  const far = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  const ended = Promise.withResolvers<void>();
  const unanswered = new Set<RequestId>();
  let onAnswered = () => {};

  const answered = (id: RequestId | undefined) => {
    if (id !== undefined && unanswered.delete(id) && unanswered.size === 0) onAnswered();
  };
  const refuse = (id: RequestId, message: string) => {
    near.send({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } });
    answered(id);
  };
  /** Open calls get no other answer. */
  const breakOff = (error: BridgeError) => {
    for (const id of unanswered) refuse(id, error.message);
    ended.reject(error);
  };
  /** A script's lines come all at once: what follows the initialization wants its session. */
  let begun: Promise<unknown> = Promise.resolve();
  near.onmessage = (message) => {
    if (isJSONRPCRequest(message)) unanswered.add(message.id);
    const sent = begun.then(() => far.send(message));
    if (isInitializeRequest(message)) begun = sent.catch(() => undefined);
    sent.catch((error: unknown) => {
      const failure = toFailure(error);
      if (isJSONRPCRequest(message)) refuse(message.id, failure.message);
      if (failure.isFatal) breakOff(new BridgeError(failure.message, failure.isUnreachable, { cause: error }));
      else warn(failure.message);
    });
  };
  far.onmessage = (message) => {
    keepVersion(far, message);
    near.send(message);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) answered(message.id);
  };
  near.onerror = (error) => warn(`A line on stdin is no message of the protocol: ${error.message}`);
  far.onerror = (error) => {
    // The transport reports each retry of a broken stream before it gives up.
    if (!/^Maximum reconnection/.test(error.message)) return;
    breakOff(new BridgeError('The connection broke while an answer was under way.', true, { cause: error }));
  };
  stdin.once('end', async () => {
    if (unanswered.size > 0) await withinLastAnswers((resolve) => (onAnswered = resolve));
    ended.resolve();
  });
  near.onclose = () => ended.resolve();
  // The client has closed its end.
  stdout.once('error', () => ended.resolve());

  await far.start();
  await near.start();
  try {
    await ended.promise;
    await far.terminateSession().catch(() => undefined);
  } finally {
    await near.close();
    await far.close();
  }
};

const withinLastAnswers = (wait: (resolve: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, LAST_ANSWERS_MS);
    wait(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** After its initialization, a client names the agreed version in each request. */
const keepVersion = (far: StreamableHTTPClientTransport, message: JSONRPCMessage): void => {
  if (!isJSONRPCResultResponse(message) || far.protocolVersion !== undefined) return;
  const { data } = InitializeResultSchema.safeParse(message.result);
  if (data) far.setProtocolVersion(data.protocolVersion);
};

const toFailure = (error: unknown): { message: string; isFatal: boolean; isUnreachable: boolean } => {
  if (error instanceof StreamableHTTPError && error.code !== undefined && error.code > 0) {
    return { message: refusalIn(error), isFatal: FATAL_STATUSES.has(error.code), isUnreachable: false };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = messageOf(cause);
  return { message: `The endpoint does not answer: ${reason}`, isFatal: true, isUnreachable: true };
};

/** The interface's error and hint, where the answer has them. */
const refusalIn = ({ code, message }: StreamableHTTPError): string => {
  const body = /\{.*\}\s*$/s.exec(message)?.[0];
  try {
    const { error, hint } = JSON.parse(body ?? '') as { error?: unknown; hint?: unknown };
    if (typeof error === 'string' && typeof hint === 'string') return `${hint} (${error})`;
  } catch {
    // Some other server's answer.
  }
  return `The endpoint answered ${code}.`;
};

/**
 * Connects clients that only use stdio: copies messages line by line between stdin, stdout and the endpoint, and
 * parses only what the transport needs. Ends when either side ends.
 */

import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isSpecType,
  type JSONRPCMessage,
  type RequestId,
  SdkHttpError,
  StreamableHTTPClientTransport,
  serializeMessage,
} from '@modelcontextprotocol/client';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/text/message-of.ts';
import { BY_ADDRESS } from '../../net/http/by-address.ts';

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

/** Time for open calls after stdin has ended: a script that pipes its lines in waits for them. */
const LAST_ANSWERS_MS: Millis = 10 * SECOND;
/** Unknown key, foreign name, ended session: later messages would fail, too. */
const FATAL_STATUSES = new Set([401, 403, 404]);
const SERVER_ERROR = -32000;

/** Resolves once stdin has ended. @throws BridgeError once the endpoint has ended */
export const bridgeStdio = async ({ url, apiKey, stdin, stdout, warn }: BridgeSettings): Promise<void> => {
  // Of the process: `fetch` takes no option for it.
  setDefaultAutoSelectFamilyAttemptTimeout(BY_ADDRESS.autoSelectFamilyAttemptTimeout);
  const far = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  const ended = Promise.withResolvers<void>();
  const unanswered = new Map<RequestId, AbortController>();
  let onAnswered = () => {};

  const say = (message: JSONRPCMessage) => stdout.write(serializeMessage(message));

  const answered = (id: RequestId | undefined) => {
    if (id !== undefined && unanswered.delete(id) && unanswered.size === 0) onAnswered();
  };
  const refuse = (id: RequestId, message: string) => {
    say({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } });
    answered(id);
  };
  /** Open calls get no other answer. */
  const breakOff = (error: BridgeError) => {
    for (const id of unanswered.keys()) refuse(id, error.message);
    ended.reject(error);
  };
  /** A script's lines come all at once: what follows the initialization wants its session. */
  let begun: Promise<unknown> = Promise.resolve();
  const take = (line: string) => {
    const message = readMessage(line, warn);
    if (message === null) return;
    const call = new AbortController();
    if (isJSONRPCRequest(message)) unanswered.set(message.id, call);
    if (isSpecType.CancelledNotification(message)) {
      // Without a session, the end of the request is what cancels it.
      unanswered.get(message.params.requestId ?? '')?.abort();
      answered(message.params.requestId);
    }
    const onRequestStreamEnd = () => {
      if (!isJSONRPCRequest(message) || !unanswered.has(message.id)) return;
      breakOff(new BridgeError('The connection broke while an answer was under way.', true));
    };
    const sent = begun.then(() => far.send(message, { requestSignal: call.signal, onRequestStreamEnd }));
    if (isInitializeRequest(message)) begun = sent.catch(() => undefined);
    sent.catch((error: unknown) => {
      if (call.signal.aborted) return;
      const failure = toFailure(error);
      if (isJSONRPCRequest(message)) refuse(message.id, failure.message);
      if (failure.isFatal) breakOff(new BridgeError(failure.message, failure.isUnreachable, { cause: error }));
      else warn(failure.message);
    });
  };
  far.onmessage = (message) => {
    keepVersion(far, message);
    say(message);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) answered(message.id);
  };
  stdin.once('end', async () => {
    if (unanswered.size > 0) await withinLastAnswers((resolve) => (onAnswered = resolve));
    ended.resolve();
  });
  // The client has closed its end.
  stdout.once('error', () => ended.resolve());

  await far.start();
  eachLine(stdin, take);
  try {
    await ended.promise;
    await far.terminateSession().catch(() => undefined);
  } finally {
    stdin.pause();
    await far.close();
  }
};

/** No other end of a line counts: JSON may hold U+2028. */
const eachLine = (stdin: Readable, take: (line: string) => void): void => {
  let parts: string[] = [];
  stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const [rest = '', ...begun] = chunk.split('\n');
    parts.push(rest);
    for (const next of begun) {
      take(parts.join(''));
      parts = [next];
    }
  });
};

const readMessage = (line: string, warn: BridgeSettings['warn']): JSONRPCMessage | null => {
  try {
    return deserializeMessage(line);
  } catch (error) {
    warn(`A line on stdin is no message of the protocol: ${messageOf(error)}`);
    return null;
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
  if (isSpecType.InitializeResult(message.result)) far.setProtocolVersion(message.result.protocolVersion);
};

const toFailure = (error: unknown): { message: string; isFatal: boolean; isUnreachable: boolean } => {
  if (error instanceof SdkHttpError) {
    return { message: refusalIn(error), isFatal: FATAL_STATUSES.has(error.status), isUnreachable: false };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = messageOf(cause);
  return { message: `The endpoint does not answer: ${reason}`, isFatal: true, isUnreachable: true };
};

/** The interface's error and hint, where the answer has them. */
const refusalIn = ({ status, data }: SdkHttpError): string => {
  try {
    const { error, hint } = JSON.parse(String(data.text)) as { error?: unknown; hint?: unknown };
    if (typeof error === 'string' && typeof hint === 'string') return `${hint} (${error})`;
  } catch {
    // Some other server's answer.
  }
  return `The endpoint answered ${status}.`;
};

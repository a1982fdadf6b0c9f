/** A language model that follows a script: OpenAI's HTTP interfaces (responses and chat completions) on loopback. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the model does next: it calls a tool, or says something and ends. */
export type Step = { tool: string; args: Record<string, unknown> } | { say: string };

export interface ScriptedModel extends AsyncDisposable {
  /** Environment variables that lead OpenAI's clients to it. */
  env: Record<string, string>;
  /** Names of the tools that it was last offered. */
  offered: string[];
}

interface Asked {
  input?: { type?: string; output?: unknown }[] | string;
  messages?: { role: string; content: unknown }[];
  tools?: { name?: string; function?: { name: string } }[];
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What the tools answered so far, oldest first. */
const answersIn = ({ input, messages }: Asked): string[] =>
  messages
    ? messages.flatMap(({ role, content }) => (role === 'tool' ? [toText(content)] : []))
    : (Array.isArray(input) ? input : []).flatMap(({ type, output }) =>
        type === 'function_call_output' ? [toText(output)] : [],
      );

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, prompt_tokens: 1, completion_tokens: 1 };

const toResponse = (step: Step, at: number) => {
  const output =
    'say' in step
      ? {
          ...{ type: 'message', id: `msg_${at}`, role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: step.say, annotations: [] }],
        }
      : {
          ...{ type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, status: 'completed' },
          ...{ name: step.tool, arguments: JSON.stringify(step.args) },
        };
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  return {
    ...{ id: `resp_${at}`, object: 'response', created_at: 1, model: 'scripted', status: 'completed' },
    ...{ output: [output], usage: { ...usage, ...details } },
  };
};

const toCompletion = (step: Step, at: number) => {
  const call = 'say' in step ? null : { name: step.tool, arguments: JSON.stringify(step.args) };
  const message = {
    ...{ role: 'assistant', content: 'say' in step ? step.say : null },
    ...(call && { tool_calls: [{ id: `call_${at}`, type: 'function', function: call }] }),
  };
  return {
    ...{ id: `chat_${at}`, object: 'chat.completion', created: 1, model: 'scripted', usage },
    choices: [{ index: 0, finish_reason: call ? 'tool_calls' : 'stop', message }],
  };
};

/** @param script the next step, from what the tools have answered */
export const startScriptedModel = async (script: (answers: readonly string[]) => Step): Promise<ScriptedModel> => {
  const model: Pick<ScriptedModel, 'offered'> = { offered: [] };
  const server = createServer(async (request, response) => {
    const asked = (await json(request)) as Asked;
    model.offered = (asked.tools ?? []).map(({ name, function: of }) => name ?? of?.name ?? '');
    const answers = answersIn(asked);
    const step = script(answers);
    const answer = asked.messages ? toCompletion(step, answers.length) : toResponse(step, answers.length);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(model, {
    env: {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'scripted',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

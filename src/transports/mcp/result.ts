/** The result of a tool call: the operation's answer, or its refusal, in the protocol's form. */

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Answer } from '../../access/idempotency.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { type BytesReply, bytesReply } from '../../kernel/operation.ts';
import { attachmentUri, mailLinks } from './resources.ts';
import type { Tool } from './tool.ts';
import { markedBlock, quotedBlock, separateUntrusted } from './untrusted.ts';

/** Bytes that an answer holds, as 88 000 characters of base64; more are read as a resource, by their URI. */
const MAX_INLINE_BYTES = 64 * 1024;

/** In a result's `_meta`: the answer is an earlier one, given again. */
const REPLAYED = 'postroom/idempotent-replayed';

export const toResult = (
  tool: Tool,
  input: Record<string, unknown>,
  { body, replayed }: Answer,
  random: RandomBytes,
): CallToolResult => {
  const isBytes = tool.bound.operation.output === bytesReply;
  const whole = isBytes ? describeBytes(input, body as BytesReply) : body;
  const { structured, texts, quoted, quotedBy } = separateUntrusted(whole, tool.untrusted, input);
  const content: ContentBlock[] = [
    { type: 'text', text: JSON.stringify(structured) },
    ...texts.map((each) => ({ type: 'text' as const, text: markedBlock(each, random) })),
    ...(quoted === null ? [] : [{ type: 'text' as const, text: quotedBlock(quoted, random, quotedBy) }]),
    // A mail in full is followed by links to its attachments and to its bytes.
    ...(tool.untrusted.length > 0 ? mailLinks(whole) : []),
  ];
  return {
    content,
    structuredContent: structured as Record<string, unknown>,
    ...(replayed && { _meta: { [REPLAYED]: true } }),
  };
};

/** A refusal is a result and no protocol error, so that the model reads its hint. */
export const toRefusalResult = (tool: Tool, { code, hint, fields, headers }: ApiError): CallToolResult => {
  const seconds = Number(headers['retry-after']);
  const refusal = {
    error: code,
    hint: tool.arguments.reword(hint),
    ...fields,
    ...(Number.isInteger(seconds) && { retry_after: seconds }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(refusal) }] };
};

const describeBytes = ({ id, filename: wanted }: Record<string, unknown>, reply: BytesReply) => {
  const { filename, contentType, content } = reply;
  return {
    filename,
    content_type: contentType,
    size: content.length,
    content_base64: content.length > MAX_INLINE_BYTES ? null : Buffer.from(content).toString('base64'),
    uri: attachmentUri(String(id), String(wanted ?? filename)),
  };
};

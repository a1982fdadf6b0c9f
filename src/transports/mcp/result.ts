/** The result of a tool call: the operation's answer, or its refusal, in the protocol's form. */

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Answer } from '../../access/idempotency.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { bareMediaType } from '../../kernel/media-type.ts';
import { type BytesReply, bytesReply } from '../../kernel/operation.ts';
import { type FaultNames, FIELD_NAMES } from '../../kernel/text/fault-words.ts';
import { attachmentId } from '../../resources/messages/view.ts';
import { compactJson } from './answers/compact-json.ts';
import { fence } from './answers/fence.ts';
import { separateUntrusted } from './answers/untrusted.ts';
import { attachmentUri, mailLinks } from './resources.ts';
import type { ReadArguments } from './tools/arguments.ts';
import type { Tool } from './tools/tool.ts';

/** Bytes included in an answer, as 88 000 characters of base64; larger ones are read as a resource. */
const MAX_INLINE_BYTES = 64 * 1024;

/** Set in `_meta` where the answer repeats an earlier one. */
const REPLAYED = 'postroom/idempotent-replayed';

export const toResult = (
  tool: Tool,
  { input, isDetailed }: Pick<ReadArguments, 'input' | 'isDetailed'>,
  { body, replayed }: Answer,
  random: RandomBytes,
): CallToolResult => {
  const isBytes = tool.bound.operation.output === bytesReply;
  const whole = isBytes ? describeBytes(input, body as BytesReply) : body;
  const { structured, quoted, authors } = separateUntrusted(whole, tool.fields, input, isDetailed);
  const content: ContentBlock[] = [
    { type: 'text', text: compactJson(structured) },
    ...(quoted === undefined ? [] : [{ type: 'text' as const, text: fence(quoted, authors, random) }]),
    ...mailLinks(whole, isDetailed),
  ];
  return {
    content,
    structuredContent: structured as Record<string, unknown>,
    ...(replayed && { _meta: { [REPLAYED]: true } }),
  };
};

/** A refusal is a result, not a protocol error, so that the model reads its hint. */
export const toRefusalResult = (tool: Tool, error: ApiError): CallToolResult => toRefusal(error, tool.arguments.names);

export const toRefusal = (error: ApiError, names: FaultNames = FIELD_NAMES): CallToolResult => {
  const { code, fields, headers } = error;
  const seconds = Number(headers['retry-after']);
  const refusal = {
    error: code,
    hint: error.hintIn(names),
    ...withoutNames(fields),
    ...(Number.isInteger(seconds) && { retry_after: seconds }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(refusal) }] };
};

/** File names are the sender's text: ids replace them. */
const withoutNames = (fields: Readonly<Record<string, unknown>>) =>
  Array.isArray(fields.attachments)
    ? { ...fields, attachments: fields.attachments.map((_, index) => attachmentId(index)) }
    : fields;

const describeBytes = ({ id, filename: wanted }: Record<string, unknown>, reply: BytesReply) => {
  const { filename, contentType, content, inWords } = reply;
  if (inWords) return inWords;
  return {
    filename,
    content_type: bareMediaType(contentType),
    size: content.length,
    content_base64: content.length > MAX_INLINE_BYTES ? null : Buffer.from(content).toString('base64'),
    uri: attachmentUri(String(id), String(wanted ?? filename)),
  };
};

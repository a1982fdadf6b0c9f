/** `find_tools`: finds unlisted tools by their purpose. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ApiError } from '../../../kernel/errors.ts';
import type { Tool, ToolListing } from './tool.ts';
import { findTools, SETS } from './tool-sets.ts';

export const FIND_TOOLS = 'find_tools';

export const findToolsListing: ToolListing = {
  name: FIND_TOOLS,
  title: 'Find tools',
  description:
    'Finds further tools: to change notes and contacts; lists, rules, domains, webhooks, scheduled mail, disposable addresses.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: {
    type: 'object',
    properties: { need: { type: 'string', description: 'What is to be done' } },
    required: ['need'],
  },
  outputSchema: { type: 'object' },
};

const MAX_NEED = 500;
const asked = z.strictObject({ need: z.string().trim().min(1).max(MAX_NEED) });

/** @returns the result, and the tools to list from now on */
export const answerFindTools = (
  tools: readonly Tool[],
  given: Record<string, unknown>,
): { result: CallToolResult; found: Tool[] } => {
  const { data } = asked.safeParse(given);
  if (!data) {
    const hint = `\`need\` is what is to be done, in a few words, to ${MAX_NEED} characters.`;
    throw new ApiError('invalid_request', { hint });
  }
  const found = findTools(tools, data.need);
  const listed = found.map(({ listing: { name, description, inputSchema } }) => ({ name, description, inputSchema }));
  const structured = { tools: listed, sets: SETS, hint: found.length > 0 ? CALL_THEM : TRY_OTHERS };
  return {
    result: { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured },
    found,
  };
};

const CALL_THEM =
  'Call them by name. Where your client calls listed tools alone, connect it with ?tools= and one of the sets.';
const TRY_OTHERS = 'No tool fits these words. Try the name of the thing: a set is named for it.';

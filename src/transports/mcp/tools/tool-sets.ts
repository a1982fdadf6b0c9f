/** Selects the listed tools: all, or the sets that `?tools=` names. Every tool can be called in any case. */

import { ApiError } from '../../../kernel/errors.ts';
import { stemWord } from '../../../kernel/text/stem.ts';
import type { Tool } from './tool.ts';

/** The daily work of most agents. */
const CORE =
  'whoami list_messages get_message get_messages get_attachment update_messages search_messages list_threads get_thread ' +
  'wait_for_email get_changes send_message reply_to_message reply_all_to_message forward_message get_pending lookup_contact ' +
  'list_notes create_note list_secrets get_secret search_knowledge';

/** A set has the tools for its resource, by their names. */
const THINGS: Readonly<Record<string, RegExp>> = {
  mail: /message|thread|attachment|wait_for|pending|scheduled|changes|suppression|whoami/,
  identity: /identity|rule|whoami|mailbox/,
  contacts: /contact|fact|duplicates|list_members/,
  notes: /note/,
  knowledge: /knowledge/,
  secrets: /secret|totp/,
  domains: /domain/,
  webhooks: /webhook|deliver/,
  disposable: /temp_|wait_for_email/,
};

const core = new Set(CORE.split(' '));
export const SETS = ['core', ...Object.keys(THINGS)] as const;

/** Null: all. */
export type ToolChoice = readonly string[] | null;

/** Reads `?tools=`. @throws ApiError invalid_request for an unknown set */
export const parseToolChoice = (value: unknown): ToolChoice => {
  if (value === undefined) return null;
  const names = String(value).split(',').filter(Boolean);
  const unknown = names.find((name) => !(SETS as readonly string[]).includes(name));
  if (unknown === undefined) return names.length === 0 ? null : names;
  const hint = `\`tools\`: there is no set "${unknown.slice(0, 100)}". The sets are ${SETS.join(', ')}; left out: all tools.`;
  throw new ApiError('invalid_request', { hint });
};

export const isChosen = (choice: ToolChoice, name: string): boolean =>
  choice === null || choice.some((set) => (set === 'core' ? core.has(name) : THINGS[set]?.test(name)));

/** The sets beside core that contain a tool. */
const setsOf = (name: string): string[] => Object.keys(THINGS).filter((set) => THINGS[set]?.test(name));

const MOST_FOUND = 5;

/** Words in their form for comparison: their stems. */
const wordsOf = (text: string): string[] => (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map(stemWord);

/** Words without information about a tool. */
const EMPTY = new Set(
  wordsOf('the and for with you your that this want need would like tool how can please all from into'),
);

/** `given_name`: "given name". */
const wordsOfArguments = ({ listing }: Tool): string =>
  Object.keys(listing.inputSchema.properties).join(' ').replaceAll('_', ' ');

/** The tools that best match a need, by the words of their names and descriptions. */
export const findTools = (tools: readonly Tool[], need: string): Tool[] => {
  const wanted = [...new Set(wordsOf(need))].filter((word) => !EMPTY.has(word));
  const described = tools.map((tool) => {
    const { name, summary, tool: annotations } = tool.bound.operation;
    return {
      tool,
      name: new Set(wordsOf(`${name.replaceAll('_', ' ')} ${setsOf(name).join(' ')}`)),
      text: new Set(wordsOf(`${summary} ${annotations?.when ?? ''} ${wordsOfArguments(tool)}`)),
    };
  });
  const weight = (word: string): number =>
    1 / (1 + described.filter(({ name, text }) => name.has(word) || text.has(word)).length);
  return described
    .map(({ tool, name, text }) => ({
      tool,
      score: wanted.reduce((sum, word) => sum + (name.has(word) ? 3 : text.has(word) ? 1 : 0) * weight(word), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => tool);
};

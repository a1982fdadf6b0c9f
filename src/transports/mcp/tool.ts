/** A tool for each operation, from its contract alone. */

import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Scope } from '../../kernel/caller.ts';
import {
  type AgentOperation,
  type Bound,
  bytesReply,
  isRouted,
  type Method,
  type Operation,
  scopesOf,
} from '../../kernel/operation.ts';
import type { ToolHints } from '../../kernel/tool-annotations.ts';
import { type ToolArguments, toArguments } from './arguments.ts';
import { bytesShape, type ObjectSchema, outputNamesOf, toInputSchema, toOutputSchema } from './tool-schema.ts';
import { type AnswerFields, answerFieldsOf } from './untrusted.ts';

/** As the protocol lists it. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  [key: string]: unknown;
}

export interface Tool {
  bound: Bound<AgentOperation>;
  /** All of them are needed. */
  scopes: readonly Scope[];
  readonly listing: ToolListing;
  readonly arguments: ToolArguments;
  /** What its answers tell apart. */
  fields: AnswerFields;
}

/** @returns by name, in the order of the operations; those whose contract says why they are none are left out */
export const toTools = (bounds: readonly Bound<AgentOperation>[]): Map<string, Tool> =>
  new Map(
    bounds
      .filter(({ operation }) => operation.tool?.none === undefined)
      .map((bound) => [bound.operation.name, toTool(bound)]),
  );

/** Schemas are made when they are first asked for: those of all tools cost more than the rest of the daemon's start. */
const toTool = (bound: Bound<AgentOperation>): Tool => {
  const { operation } = bound;
  let taken: ToolArguments | null = null;
  let listing: ToolListing | null = null;
  return {
    bound,
    scopes: scopesOf(operation),
    fields: answerFieldsOf(operation.output === bytesReply ? bytesShape : operation.output),
    get arguments() {
      taken ??= toArguments(operation);
      return taken;
    },
    get listing() {
      listing ??= toListing(operation, this.arguments.schema);
      return listing;
    },
  };
};

const toListing = (operation: AgentOperation, inputSchema: ObjectSchema): ToolListing => ({
  name: operation.name,
  title: formatTitle(operation.name),
  description: formatDescription(operation),
  annotations: toAnnotations(operation),
  inputSchema,
  outputSchema: toOutputSchema(operation),
});

/** `send_message`: "Send message". */
const formatTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** An agent that takes an acceptance for a failure sends its mail twice. */
const accepted = (operation: Operation): string => {
  const canBook = 'send_at' in toInputSchema(operation).properties;
  return `Status ${canBook ? 'held or scheduled' : 'held'} (a 202) is a success: never send it again.`;
};

const formatDescription = (operation: Operation): string => {
  const { summary, tool, statuses } = operation;
  const returns = `Returns ${tool?.returns ?? formatNames(operation)}.`;
  const when = tool?.when && `Use ${tool.when}.`;
  return [summary, when, returns, statuses?.includes(202) ? accepted(operation) : undefined].filter(Boolean).join(' ');
};

/** Names enough to know by what comes back whether this is the tool. */
const MAX_NAMES = 3;

const formatNames = (operation: Operation): string => {
  const names = outputNamesOf(operation);
  return names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')} and more` : names.join(', ');
};

/** What the method says (RFC 9110 section 9.2), where the contract says nothing else. */
const HINTS: Record<Method, ToolHints> = {
  GET: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  POST: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  PATCH: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  DELETE: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
};

const toAnnotations = (operation: Operation): ToolAnnotations => {
  const method = isRouted(operation) ? operation.method : 'POST';
  const hints = { ...HINTS[method], ...operation.tool?.hints };
  return {
    readOnlyHint: hints.readOnly,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: hints.openWorld,
  };
};

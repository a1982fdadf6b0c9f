/** Makes a tool of each operation, from its contract alone. */

import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Scope } from '../../../kernel/caller.ts';
import type { Bound } from '../../../kernel/handlers.ts';
import { bytesReply, isRouted, type Method, type Operation, scopesOf } from '../../../kernel/operation.ts';
import type { ToolHints } from '../../../kernel/tools/tool-annotations.ts';
import { type AnswerFields, answerFieldsOf } from '../answers/untrusted.ts';
import { type ToolArguments, toArguments } from './arguments.ts';
import { bytesShape, type ObjectSchema, toBrief } from './tool-schema.ts';

/** As the protocol lists it. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  /** Absent where the protocol's defaults say it all. */
  annotations?: ToolAnnotations;
  inputSchema: ObjectSchema;
  /** Empty, because the answer itself shows its fields. */
  outputSchema: { type: 'object' };
  [key: string]: unknown;
}

export interface Tool {
  bound: Bound<Operation>;
  /** The caller needs all of them. */
  scopes: readonly Scope[];
  /** With a description of each argument. */
  readonly listing: ToolListing;
  /** For the list of a set. */
  readonly short: ToolListing;
  /** As short as possible, for the list of all tools. */
  readonly brief: ToolListing;
  readonly arguments: ToolArguments;
  /** The trusted and untrusted fields of its answers. */
  readonly fields: AnswerFields;
}

/** @returns by name, in the order of the operations, without those that their contract excludes */
export const toTools = (bounds: readonly Bound<Operation>[]): Map<string, Tool> =>
  new Map(
    bounds
      .filter(({ operation }) => operation.tool?.none === undefined)
      .map((bound) => [bound.operation.name, toTool(bound)]),
  );

/** Schemas are made on first use: all of them cost more than the rest of the daemon's start. */
const toTool = (bound: Bound<Operation>): Tool => {
  const { operation } = bound;
  let taken: ToolArguments | null = null;
  let listing: ToolListing | null = null;
  let brief: ToolListing | null = null;
  let short: ToolListing | null = null;
  let fields: AnswerFields | null = null;
  return {
    bound,
    scopes: scopesOf(operation),
    get fields() {
      fields ??= answerFieldsOf(operation.output === bytesReply ? bytesShape : operation.output);
      return fields;
    },
    get arguments() {
      taken ??= toArguments(operation);
      return taken;
    },
    get listing() {
      listing ??= toListing(operation, this.arguments.schema);
      return listing;
    },
    get short() {
      short ??= toListingIn('some', this.listing, operation);
      return short;
    },
    get brief() {
      brief ??= toListingIn('all', this.listing, operation);
      return brief;
    },
  };
};

const toListing = (operation: Operation, inputSchema: ObjectSchema): ToolListing => ({
  name: operation.name,
  title: formatTitle(operation.name),
  description: formatDescription(operation),
  annotations: toAnnotations(operation),
  inputSchema,
  outputSchema: { type: 'object' },
});

/** `send_message`: "Send message". */
const formatTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** The first clause of a summary. */
const clauseOf = (summary: string): string => `${/^.{12,}?(?=[.,;:]( |$))/s.exec(summary)?.[0] ?? summary}.`;

const toListingIn = (of: 'all' | 'some', listing: ToolListing, { summary, statuses }: Operation): ToolListing => {
  const { annotations = {}, ...others } = listing;
  const { openWorldHint: _, idempotentHint: __, ...few } = annotations;
  const hints = of === 'all' ? few : annotations;
  return {
    ...others,
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    description: withAcceptance(clauseOf(summary), statuses),
    inputSchema: toBrief(listing.inputSchema, of),
  };
};

/** An agent that mistakes an acceptance for a failure sends its mail twice. */
const ACCEPTED = 'Held or scheduled is a success: never send it again.';

const withAcceptance = (description: string, statuses: Operation['statuses']): string =>
  statuses?.includes(202) ? `${description} ${ACCEPTED}` : description;

const formatDescription = ({ summary, tool, statuses }: Operation): string =>
  withAcceptance(tool?.when ? `${summary} Use ${tool.when}.` : summary, statuses);

/** The hints of the method (RFC 9110 section 9.2), unless the contract states others. */
const HINTS: Record<Method, ToolHints> = {
  GET: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  POST: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  PATCH: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  DELETE: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
};

const toAnnotations = (operation: Operation): ToolAnnotations => {
  const method = isRouted(operation) ? operation.method : 'POST';
  const hints = { ...HINTS[method], ...operation.tool?.hints };
  // The protocol defines defaults for missing hints; for a read-only tool two have no meaning.
  return {
    ...(hints.readOnly && { readOnlyHint: true }),
    ...(!hints.readOnly && !hints.destructive && { destructiveHint: false }),
    ...(!hints.readOnly && hints.idempotent && { idempotentHint: true }),
    ...(!hints.openWorld && { openWorldHint: false }),
  };
};

/**
 * Clients that show their model an answer's structured content alone, where there is any. It has null for what others
 * wrote, so that their model would never see a mail's words: they are given the text blocks alone.
 */

import type { Server } from '@modelcontextprotocol/server';

/** As they call themselves: Claude Code, Codex, OpenCode and VS Code, of 2026. */
const NAMES = /^(?:claude-code|codex|opencode|visual studio code)/i;

export const isTextAlone = (server: Server): boolean => NAMES.test(server.getClientVersion()?.name ?? '');

/** A client that is told of an output schema demands structured content. */
export const withoutStructure = <T extends object>(listingOrResult: T): T => {
  const { outputSchema: _, structuredContent: __, ...others } = listingOrResult as Record<string, unknown>;
  return others as T;
};

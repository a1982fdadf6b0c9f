/** Attachments and raw messages as MCP resources: answers contain links, and clients read the bytes by URI. */

import {
  type ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ResourceLink,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ApiError } from '../../kernel/errors.ts';
import { bareMediaType } from '../../kernel/media-type.ts';

const BASE = 'postroom://messages';

/** A resource and the operation that reads it. */
export interface ResourceRoute {
  template: ResourceTemplateType;
  operation: string;
  /** The operation's input; null where the URI is not of this form. */
  read(uri: string): Record<string, string> | null;
}

export const resourceRoutes: readonly ResourceRoute[] = [
  {
    operation: 'get_attachment',
    template: {
      uriTemplate: `${BASE}/{message_id}/attachments/{filename}`,
      name: 'attachment',
      description: 'The bytes of an attachment.',
    },
    read: (uri) => parseParts(uri, /^postroom:\/\/messages\/([^/]+)\/attachments\/([^/]+)$/, ['id', 'filename']),
  },
  {
    operation: 'get_raw_message',
    template: {
      uriTemplate: `${BASE}/{message_id}/raw`,
      name: 'raw message',
      description: 'A message as it came or went.',
      mimeType: 'message/rfc822',
    },
    read: (uri) => parseParts(uri, /^postroom:\/\/messages\/([^/]+)\/raw$/, ['id']),
  },
];

export const attachmentUri = (messageId: string, filename: string): string =>
  `${BASE}/${messageId}/attachments/${encodeURIComponent(filename)}`;

/** A mail in full, as far as attachments need it. */
const mailWithAttachments = z.object({
  id: z.string(),
  attachments: z.array(z.object({ id: z.string(), contentType: z.string(), size: z.int() })),
});

/**
 * Links of a mail in full: its attachments by their ids, and the raw message. With `detail` alone: some clients drop
 * an answer that has a link, or end the run.
 */
export const mailLinks = (answer: unknown, isDetailed: boolean): ResourceLink[] => {
  const { data } = mailWithAttachments.safeParse(answer);
  if (!data || !isDetailed) return [];
  const attachments = data.attachments.map(
    ({ id, contentType, size }): ResourceLink => ({
      type: 'resource_link',
      uri: attachmentUri(data.id, id),
      name: id,
      mimeType: bareMediaType(contentType),
      size,
    }),
  );
  const raw = { uri: `${BASE}/${data.id}/raw`, name: 'raw message', mimeType: 'message/rfc822' };
  return [...attachments, { type: 'resource_link', ...raw }];
};

/** @returns null where no resource has such a URI */
export const parseResourceUri = (uri: string): { route: ResourceRoute; input: Record<string, string> } | null => {
  for (const route of resourceRoutes) {
    const input = route.read(uri);
    if (input) return { route, input };
  }
  return null;
};

/** A refusal as the error of a read. */
export const toResourceError = ({ code, hint, fields }: ApiError) => ({
  code: ProtocolErrorCode.InvalidRequest,
  message: hint,
  data: { error: code, hint, ...fields },
});

export const noSuchResource = (uri: string): ProtocolError => new ResourceNotFoundError(uri.slice(0, 500));

export const toContents = (
  uri: string,
  { contentType, content }: { contentType: string; content: Uint8Array },
): ReadResourceResult => ({
  contents: [{ uri, mimeType: bareMediaType(contentType), blob: Buffer.from(content).toString('base64') }],
});

const parseParts = (uri: string, form: RegExp, names: readonly string[]): Record<string, string> | null => {
  const match = form.exec(uri);
  if (!match) return null;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
  } catch {
    // Invalid percent-encoding.
    return null;
  }
};

/** Replies with untrusted bytes: a download with its own content type. */

import type { FastifyReply } from 'fastify';
import { formatMediaType, parseMediaType } from '../../kernel/media-type.ts';
import type { BytesReply } from '../../kernel/operation.ts';
import { asBuffer } from '../../kernel/text/octets.ts';

const escapeByte = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Headers of untrusted content as a download: a browser must not render it under the service's origin. */
export const asDownload = (reply: FastifyReply, filename: string): FastifyReply =>
  reply
    .header(
      'content-disposition',
      `attachment; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, escapeByte)}`,
    )
    .header('content-security-policy', "default-src 'none'; sandbox");

export const sendBytes = (reply: FastifyReply, { contentType, filename, content }: BytesReply): FastifyReply =>
  asDownload(reply, filename)
    .type(formatMediaType(parseMediaType(contentType) ?? { type: 'application/octet-stream', parameters: [] }))
    .send(asBuffer(content));

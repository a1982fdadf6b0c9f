/**
 * Documents for clients before they connect. They are the server card (SEP-2127, the extension's schema v1) at its
 * reserved path, the domain's catalog that links to it, and the icon of both.
 */

import type { FastifyInstance } from 'fastify';
import type { CountRequest } from '../http/authenticate-request.ts';

export const SERVER_VERSION = '1.0.0';

const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG_TYPE = 'application/ai-catalog+json';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

/** Required by the extension's text on discovery: public, read-only, the same for all. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'content-type, if-none-match',
  'access-control-expose-headers': 'etag',
  'cache-control': 'public, max-age=3600',
};

/** The current one, and those with sessions. */
const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

/** An envelope, in the ink of the pages. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#1b5f74" stroke-width="1.25" ' +
  'stroke-linejoin="round"><path d="M2.25 3.75h11.5v8.5H2.25zM2.5 4.25 8 8.75l5.5-4.5"/></svg>';

export const iconsOf = (publicUrl: string) => [
  { src: `${publicUrl}/icon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] },
];

/** `https://mx.example.com` as `com.example.mx`. */
const reverseHost = (publicUrl: string): string => new URL(publicUrl).hostname.split('.').reverse().join('.');

const serverCard = (publicUrl: string) => ({
  $schema: SCHEMA,
  name: `${reverseHost(publicUrl).replace(/[^a-zA-Z0-9.-]/g, '-')}/postroom`,
  title: 'Postroom',
  description: 'E-mail of its own for an agent: a mailbox, sending, contacts, notes and secrets.',
  version: SERVER_VERSION,
  websiteUrl: publicUrl,
  icons: iconsOf(publicUrl),
  remotes: [
    { type: 'streamable-http', url: `${publicUrl}/mcp?tools=core`, supportedProtocolVersions: PROTOCOL_VERSIONS },
  ],
});

const aiCatalog = (publicUrl: string) => ({
  specVersion: '1.0',
  entries: [
    {
      identifier: `urn:air:${new URL(publicUrl).hostname}:mcp:postroom`,
      type: CARD_TYPE,
      url: `${publicUrl}/mcp/server-card`,
    },
  ],
});

export const registerServerCard = (app: FastifyInstance, publicUrl: string, onRequest: CountRequest): void => {
  const serve = (path: string, type: string, body: string): void => {
    app.get(path, { onRequest, exposeHeadRoute: true }, async (_request, reply) =>
      reply.headers(PUBLIC).type(type).send(body),
    );
    app.options(path, { onRequest }, async (_request, reply) => reply.code(204).headers(PUBLIC).send());
  };
  serve('/mcp/server-card', CARD_TYPE, JSON.stringify(serverCard(publicUrl)));
  serve('/.well-known/mcp/server-card.json', CARD_TYPE, JSON.stringify(serverCard(publicUrl)));
  serve('/.well-known/ai-catalog.json', CATALOG_TYPE, JSON.stringify(aiCatalog(publicUrl)));
  serve('/icon.svg', 'image/svg+xml', ICON);
};

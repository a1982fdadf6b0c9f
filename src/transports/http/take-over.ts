/** Takes a reply over from Fastify, with the headers that it has. */

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

export const takeOver = (reply: FastifyReply): ServerResponse => {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('x-content-type-options', 'nosniff');
  return raw;
};

/** Disposable addresses for single mails, such as a confirmation. Offered as tools only. */

import { z } from 'zod';
import { addressKeyInput, timeOutput } from '../../kernel/fields.ts';
import { toolOnly } from '../../kernel/operation.ts';
import { messageDetailShape, messageShape } from '../messages/read/contract.ts';

const MIN_TTL_SECONDS = 600;
const MAX_TTL_SECONDS = 86_400;
const DEFAULT_TTL_SECONDS = 3_600;

const tempAddressShape = z.object({ address: z.string(), label: z.string().nullable(), expires_at: timeOutput });

/** A mail with the fields that a confirmation needs. */
const { text, text_chars, next_offset, codes, links } = messageDetailShape.shape;
const tempMessageShape = messageShape.extend({ text, text_chars, next_offset, codes, links });

export const tempAddressesContract = {
  create: toolOnly({
    name: 'create_temp_address',
    scope: 'mail:send',
    summary: 'Makes a disposable address, which only receives and expires by itself; 5 live at once.',
    input: z.strictObject({
      ttl_seconds: z.int().min(MIN_TTL_SECONDS).max(MAX_TTL_SECONDS).default(DEFAULT_TTL_SECONDS),
      label: z.string().trim().min(1).max(100).optional(),
    }),
    output: tempAddressShape,
    tool: { when: 'to sign up somewhere without giving your own', returns: 'address, label, expires_at' },
  }),
  list: toolOnly({
    name: 'list_temp_addresses',
    scope: 'mail:read',
    summary: 'Lists your disposable addresses, those that are live.',
    output: z.object({ addresses: z.array(tempAddressShape) }),
    tool: { when: 'to see which you have', returns: 'addresses', hints: { readOnly: true, idempotent: true } },
  }),
  messages: toolOnly({
    name: 'get_temp_messages',
    scope: 'mail:read',
    summary: 'Reads mail of a disposable address, newest first, and marks it read.',
    input: z.strictObject({
      address: addressKeyInput('temp_address_not_found_or_expired', z.string().max(320).trim()),
      limit: z.int().min(1).max(20).default(10),
    }),
    output: z.object({ messages: z.array(tempMessageShape) }),
    tool: {
      when: 'for the code or link that a site sends there',
      returns: 'messages with codes and links, and each text in a block of its own',
      hints: { readOnly: true, idempotent: true },
    },
  }),
  remove: toolOnly({
    name: 'delete_temp_address',
    scope: 'mail:send',
    summary: 'Ends a disposable address at once; its mail is gone with it.',
    input: z.strictObject({ address: addressKeyInput('temp_address_not_found', z.string().max(320).trim()) }),
    output: z.object({ deleted: z.literal(true) }),
    tool: { when: 'when you need it no more', returns: 'deleted', hints: { destructive: true, idempotent: true } },
  }),
};

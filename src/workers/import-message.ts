/** Reads a mail of a file in a worker thread. */

import { asBuffer } from '../kernel/text/octets.ts';
import { type ReadMessage, readMessage } from '../mail/header/message-header.ts';
import { contentDigest } from '../mail/mbox/content-digest.ts';
import { parseMessage } from '../mail/mime/parse-message.ts';
import { toStoredMail } from './compression.ts';
import { toHeaderOnly, toStoredFields } from './parsed-message.ts';
import type { ImportedMail, Input } from './tasks.ts';

/** A mail has one of these fields; any text with a colon in its first line has some field. */
const MAIL_FIELDS = new Set([
  ...['from', 'sender', 'to', 'cc', 'subject', 'date', 'message-id', 'received', 'return-path', 'mime-version'],
]);

const isFromNullSender = ({ fields }: ReadMessage): boolean =>
  fields.some(({ key, value }) => key === 'return-path' && value === '<>');

export const readImported = async ({ raw, headerOnly }: Input<'import'>): Promise<ImportedMail> => {
  const bytes = asBuffer(raw);
  const message = readMessage(bytes);
  const mail = headerOnly ? toHeaderOnly(message) : { ...(await parseMessage(message)), report: null };
  const fields = toStoredFields(mail);
  return {
    ...fields,
    automatic: fields.automatic || isFromNullSender(message),
    isMail: message.fields.some(({ key }) => MAIL_FIELDS.has(key)),
    digest: new Uint8Array(contentDigest(bytes)),
    ...toStoredMail(bytes, fields.text),
  };
};

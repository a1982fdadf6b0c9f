/** Composes held mail anew with what an owner edited of it. */

import { rebuildMail } from '../../mail/compose/rebuild-mail.ts';
import { parseMail, summarizeAttachments } from '../../mail/mime/parse-message.ts';
import { toSnippet } from '../../mail/text/snippet.ts';
import { decompress, toStoredMail } from '../compression.ts';
import { findLeaks } from '../find-leak.ts';
import type { Composed, Input } from '../tasks.ts';
import { mailPieces } from './searched-pieces.ts';

export const editHeld = async ({ mime, edit, pixelUrl, leakIndex }: Input<'edit-held'>): Promise<Composed> => {
  const { raw, text, ...rebuilt } = await rebuildMail(decompress(mime), { ...edit, pixelUrl });
  const sent = await parseMail(raw);
  return {
    ...rebuilt,
    ...toStoredMail(raw, text),
    subject: sent.subject,
    snippet: toSnippet(text),
    text,
    attachments: summarizeAttachments(sent.attachments),
    secretsFound: await findLeaks(leakIndex, mailPieces({ sent, bytes: raw, recipients: [] })),
  };
};

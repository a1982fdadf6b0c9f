/** Composes held mail anew with what an owner edited of it, and formats the difference. */

import { createTwoFilesPatch, formatPatch } from 'diff';
import { rebuildMail } from '../../mail/compose/rebuild-mail.ts';
import { parseMail, summarizeAttachments } from '../../mail/mime/parse-message.ts';
import { toSnippet } from '../../mail/text/snippet.ts';
import type { HeldOriginal } from '../../store/sending/held-sends.ts';
import { decompress, toStoredMail } from '../compression.ts';
import { findLeaks } from '../find-leak.ts';
import type { EditedHeld, Input } from '../tasks.ts';
import { hashBody } from './hash-body.ts';
import { mailPieces } from './searched-pieces.ts';

/** Lines that differ. The library's time grows with their square: 8 000 take 16 s, and it has no limit of its own. */
const MAX_EDITS = 500;
const NAMES = { oldFileName: 'as written', newFileName: 'as edited' };

const toDocument = ({ subject, recipients, text }: HeldOriginal): string =>
  `Subject: ${subject}\nTo: ${recipients.join(', ')}\n\n${text.replaceAll('\r\n', '\n').trimEnd()}\n`;

/** All lines of one text in place of all of the other. */
const replaceWhole = (before: string, after: string): string => {
  const [removed, added] = [before, after].map((text) => text.trimEnd().split('\n')) as [string[], string[]];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  const hunk = { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines };
  return formatPatch({ ...NAMES, oldHeader: undefined, newHeader: undefined, hunks: [hunk] });
};

/** A unified diff; beyond {@link MAX_EDITS} it shows both texts whole. */
const formatChanges = (original: HeldOriginal, edited: HeldOriginal): string => {
  const [before, after] = [toDocument(original), toDocument(edited)];
  const { oldFileName, newFileName } = NAMES;
  const bounds = { maxEditLength: MAX_EDITS };
  const patch = createTwoFilesPatch(oldFileName, newFileName, before, after, undefined, undefined, bounds);
  return patch ?? replaceWhole(before, after);
};

export const editHeld = async (task: Input<'edit-held'>): Promise<EditedHeld> => {
  const { mime, edit, pixelUrl, leakIndex, original, recipients } = task;
  const { raw, text, ...rebuilt } = await rebuildMail(decompress(mime), { ...edit, pixelUrl });
  const sent = await parseMail(raw);
  return {
    ...rebuilt,
    ...toStoredMail(raw, text),
    subject: sent.subject,
    snippet: toSnippet(text),
    text,
    bodyHash: hashBody({ text, htmlText: rebuilt.htmlText }),
    attachments: summarizeAttachments(sent.attachments),
    secretsFound: await findLeaks(leakIndex, mailPieces({ sent, bytes: raw, recipients: [] })),
    changes: formatChanges(original, { subject: sent.subject, recipients: [...recipients], text }),
  };
};

/** Extracts the text of an attachment: plain text in any charset, HTML, PDF, Office documents, and mail. */

import { decodeDocument } from '../../documents/charset.ts';
import { startsZip } from '../../documents/office/package-parts.ts';
import { readOffice } from '../../documents/office/read-office.ts';
import { readPdf } from '../../documents/pdf.ts';
import { cutText, isBinary, isHtml, looksLikeHtml, MAX_TEXT, startsPdf } from '../../documents/read-document.ts';
import { parseMediaType } from '../../kernel/media-type.ts';
import { plainText } from '../../kernel/text/clean-text.ts';
import { readHtml } from '../../mail/html/read-html.ts';
import { describeMessage } from '../../mail/mime/enclosed-messages.ts';
import { parseMail } from '../../mail/mime/parse-message.ts';

export interface AttachmentFile {
  octets: Uint8Array;
  filename: string;
  /** With its parameters. */
  contentType: string;
}

/** Null: it is of a kind that is not read as text. */
export type AttachmentText = {
  text: string;
  /** Whether there is more text than is read. */
  isCut: boolean;
} | null;

/** Octets of a text that is read, in any charset. */
const MAX_OCTETS = 4 * MAX_TEXT;

const toText = (whole: string, isCut = false): AttachmentText => {
  const text = cutText(whole);
  return { text, isCut: isCut || text.length < whole.length };
};

const MEDIA = /^(?:image\/(?!svg)|audio\/|video\/|font\/)/;
const MAIL = /^message\/(?:rfc822|global|news)$/;
const RTF = '{\\rtf';

/** @throws where it is damaged or encrypted */
export const readAttachmentText = async ({
  octets,
  filename,
  contentType,
}: AttachmentFile): Promise<AttachmentText> => {
  if (startsPdf(octets)) {
    const read = await readPdf(octets);
    return toText(read.text, read.isCut);
  }
  if (startsZip(octets)) {
    const text = readOffice(octets, MAX_TEXT);
    return text === null ? null : toText(plainText(text));
  }
  const { type = '', parameters = [] } = parseMediaType(contentType) ?? {};
  if (MAIL.test(type) || /\.eml$/i.test(filename)) return toText(describeMessage(await parseMail(Buffer.from(octets))));
  const head = octets.subarray(0, MAX_OCTETS);
  const charset = parameters.find(([name]) => name.toLowerCase() === 'charset')?.[1] ?? null;
  const isWide = /^utf-?(?:16|32)/i.test(charset ?? '') || (head[0] ?? 0) >= 0xfe;
  if (MEDIA.test(type) || isBinary(octets) || (!isWide && octets.subarray(0, 1024).includes(0))) return null;
  const text = decodeDocument(head, charset);
  if (text.startsWith(RTF)) return null;
  if (isHtml(type) || /\.html?$/i.test(filename) || looksLikeHtml(text)) {
    const read = readHtml(text);
    return toText(read.text, read.isCut);
  }
  return toText(text, head.length < octets.length);
};

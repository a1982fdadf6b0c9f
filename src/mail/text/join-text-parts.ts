/**
 * Joins the text parts of a message into one text and one HTML. Of each alternative, `text` includes the version that a
 * mail program displays.
 */

import type { Anchor } from '../html/anchors.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { dropPaddingLines } from '../html/padding.ts';
import { readHtml } from '../html/read-html.ts';
import { HIDDEN_TEXT } from '../mime/defects.ts';
import type { TextPart } from '../mime/mime-parts.ts';
import { TEXT_CUT } from '../mime/text-limit.ts';
import { takeUuencoded, type UuFile } from '../mime/uuencode.ts';
import { withoutClearSigning } from './armour.ts';
import { isStub } from './stub.ts';

export interface JoinedTexts {
  /** Plain text with bare LF, as displayed: from the text part, or from the HTML where that has more content. */
  text: string;
  /** The text of the alternatives that `text` leaves out. */
  otherText: string;
  /** As sent, not sanitised; null without an HTML part. */
  html: string | null;
  /** Links of the HTML, with their visible labels. */
  anchors: Anchor[];
  /** Uuencoded files of the text parts. */
  files: UuFile[];
  defects: string[];
}

/** Characters parsed of all HTML parts of a mail together. */
const MAX_HTML_CHARS = 2 * 1024 * 1024;

/** Tests first: few texts contain a CR, and the test is many times faster than replacing. */
const withBareLf = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);

interface PartText {
  part: TextPart;
  text: string;
}

/** Maps each alternative to whether its HTML is displayed: once, because it takes a reading of all its texts. */
const findShown = (partTexts: readonly PartText[]): Map<object, boolean> => {
  const groups = new Map<object, { plain: string; html: string }>();
  for (const { part, text } of partTexts) {
    if (part.alternative === null) continue;
    const group = groups.get(part.alternative) ?? { plain: '', html: '' };
    group[part.html ? 'html' : 'plain'] += `${text}\n`;
    groups.set(part.alternative, group);
  }
  const isHtmlShown = ({ plain, html }: { plain: string; html: string }): boolean =>
    html.trim() !== '' && (plain.trim() === '' || isStub(plain, html));
  return new Map([...groups].map(([alternative, group]) => [alternative, isHtmlShown(group)]));
};

/** @param wholeAddresses whether long addresses of links stay in full */
export const joinTextParts = (parts: readonly TextPart[], wholeAddresses = false): JoinedTexts => {
  const anchors: Anchor[] = [];
  const files: UuFile[] = [];
  const defects = new Set<string>();
  let htmlChars = 0;

  const read = (part: TextPart): PartText => {
    if (part.html) {
      const html = readHtml(part.content.slice(0, Math.max(0, MAX_HTML_CHARS - htmlChars)), { wholeAddresses });
      htmlChars += part.content.length;
      if (htmlChars > MAX_HTML_CHARS) defects.add(TEXT_CUT);
      anchors.push(...html.anchors);
      if (html.hasHidden) defects.add(HIDDEN_TEXT);
      if (html.isCut) defects.add(TEXT_CUT);
      return { part, text: html.text };
    }
    const taken = takeUuencoded(withoutClearSigning(withBareLf(part.content).replaceAll('\0', '')));
    files.push(...taken.files);
    return { part, text: dropPaddingLines(taken.text) };
  };

  const partTexts = parts.map(read);
  const shown = findShown(partTexts);
  const isChosen = ({ part }: PartText): boolean =>
    part.alternative === null || shown.get(part.alternative) === part.html;
  const hasHtml = ({ alternative }: TextPart): boolean =>
    alternative !== null && parts.some((other) => other.html && other.alternative === alternative);

  const joinTexts = (chosen: readonly PartText[]): string => chosen.map(({ text }) => text).join('\n');
  const html = parts
    .filter((part) => part.html || !hasHtml(part))
    .map((part) => (part.html ? part.content : `<pre>${escapeHtml(part.content)}</pre>`));
  return {
    text: joinTexts(partTexts.filter(isChosen)),
    otherText: joinTexts(partTexts.filter((reading) => !isChosen(reading))),
    html: parts.some((part) => part.html) ? html.join('\n') : null,
    anchors,
    files,
    defects: [...defects],
  };
};

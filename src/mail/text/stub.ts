/** Detects a text part that replaces the HTML only by a notice that HTML exists. */

import { WEB_ADDRESS } from './web-address.ts';

const STUB =
  /(?:does not|doesn['’]t|do not|don['’]t|cannot|can['’]t|unable to|not)\s(?:\w+\s){0,3}(?:support|display|read|view|render|show)\w*\s(?:\w+\s){0,4}html|html[- ](?:e-?mails?|messages?|mail|format|version|enabled|compatible|capable|viewer|view|content|part)|(?:view|see|open|read)\s(?:\w+\s){0,5}(?:in|with|on|using)\s(?:\w+\s){0,2}(?:browser|html|web)|(?:enable|switch|turn on)\s(?:\w+\s){0,2}html|html-(?:e-?mails?|nachrichten|format|version|darstellung|fähig)|(?:kein|keine)\shtml|im browser|format html|au format html|version html|votre navigateur|formato html|tu navegador|su navegador|seu navegador|nel browser|in je browser|html[- ]?(?:形式|メール|格式|邮件)|htmlメール/iu;
/** Letters and digits outside of URLs. Such a notice is a sentence or two, in some mails in several languages. */
const MAX_STUB = 400;
/** An HTML part that exceeds the text part by this factor is the message. */
const FAR_LONGER = 3;
/** Share of the HTML's words that the text part must contain. */
const MOST = 0.6;
const MAX_SCAN = 64 * 1024;
const MAX_NOTICE = 4096;
const ADDRESS = new RegExp(WEB_ADDRESS, 'gi');

const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code > 0xbf;

/** Counts letters and digits outside of URLs. */
const weigh = (text: string): number => {
  const words = text.slice(0, MAX_SCAN).replace(ADDRESS, '');
  let weight = 0;
  for (let at = 0; at < words.length; at += 1) if (isWordCode(words.charCodeAt(at))) weight += 1;
  return weight;
};

const splitWords = (text: string): Set<string> =>
  new Set(
    text
      .slice(0, MAX_SCAN)
      .replace(ADDRESS, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  );

/** Whether a text contains most of the words of another; such a notice contains next to none of them. */
const covers = (text: string, other: string): boolean => {
  const expected = [...splitWords(other)];
  const actual = splitWords(text);
  return expected.filter((word) => actual.has(word)).length >= MOST * expected.length;
};

/** @param html the text of the HTML part */
export const isStub = (plain: string, html: string): boolean => {
  const ofHtml = weigh(html);
  if (ofHtml === 0) return false;
  const ofPlain = weigh(plain);
  if (ofPlain * FAR_LONGER < ofHtml) return true;
  // A complete text part may contain "view in your browser" as well.
  return ofPlain <= MAX_STUB && STUB.test(plain.slice(0, MAX_NOTICE)) && !covers(plain, html);
};

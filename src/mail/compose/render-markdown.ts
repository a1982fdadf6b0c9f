/** Renders the body of a mail, Markdown or plain text, for its HTML part. What plain text says stays as it is. */

import MarkdownIt, { type StateCore, type Token } from 'markdown-it';

// html: false escapes raw HTML; markdown-it itself rejects javascript:, vbscript:, file: and data: links. Its own rule of
// underlined headings takes hyphens, too, and plain text has those above a signature.
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false }).disable('lheading');

// Keeps link text unchanged: by default escapes and IDNA labels are decoded, and the two parts would differ.
markdown.normalizeLinkText = (url) => url;

// A link without a scheme leads nowhere in a mail, and `[Deadline]: Friday` is a line of text.
const isSafeLink = markdown.validateLink;
markdown.validateLink = (url) => /^[a-z][a-z\d+.-]*:/i.test(url) && isSafeLink(url);

/** A letter or mark of Chinese, Japanese or Korean. */
const EAST_ASIAN = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\uff01-\uff60]/u;

/**
 * `**注意：**明日` and `**메일(mail)**은` are bold: no blank parts words there, which CommonMark asks for beside a mark.
 * @see https://github.com/commonmark/commonmark-spec/issues/650
 */
markdown.inline.State = class extends markdown.inline.State {
  override scanDelims(start: number, canSplitWord: boolean) {
    const found = super.scanDelims(start, canSplitWord);
    const [before = ' ', behind = ' '] = [this.src[start - 1], this.src[start + found.length]];
    if (!canSplitWord || !EAST_ASIAN.test(before + behind)) return found;
    return { ...found, can_open: /\S/.test(behind), can_close: /\S/.test(before) };
  }
};

const QUOTE_MARK = '>'.charCodeAt(0);
/** Lines of a quote without a mark, behind which a marked one begins another quote; ten times as many end it. */
const MAX_UNMARKED = 20;

/** For each line that turns out to end a quote, the library has looked at all lines that might belong to it. */
const quote = markdown.block.ruler.getRules('').find(({ name }) => name === 'blockquote');
if (!quote) throw new Error('The rule for quotes has another name.');
markdown.block.ruler.at(
  'blockquote',
  (state, start, end, isSilent) => {
    const isMarked = (line: number): boolean =>
      state.src.charCodeAt((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)) === QUOTE_MARK;
    if (isSilent || !isMarked(start)) return quote(state, start, end, isSilent);
    let unmarked = 0;
    let line = start + 1;
    for (; line < end && !state.isEmpty(line); line += 1) {
      if (isMarked(line) ? unmarked >= MAX_UNMARKED : ++unmarked > 10 * MAX_UNMARKED) break;
    }
    return quote(state, start, line, isSilent);
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
);

/** A line above one of `=` is a heading. */
markdown.block.ruler.before('paragraph', 'underlined', (state, line, end) => {
  const isText = line + 1 < end && (state.sCount[line + 1] ?? -1) >= state.blkIndent;
  const read = (at: number): string => state.getLines(at, at + 1, state.blkIndent, false).trim();
  if (!isText || !/^={2,}$/.test(read(line + 1))) return false;
  state.line = line + 2;
  state.push('heading_open', 'h1', 1);
  Object.assign(state.push('inline', '', 0), { content: read(line), children: [] });
  state.push('heading_close', 'h1', -1);
  return true;
});

/** The end of a list and the start of the next. */
const anotherList = ({ Token }: StateCore, start: number): Token[] => {
  const close = new Token('ordered_list_close', 'ol', -1);
  const open = new Token('ordered_list_open', 'ol', 1);
  for (const token of [close, open]) token.block = true;
  open.attrSet('start', String(start));
  return [close, open];
};

/**
 * Begins another list where the numbers do not count on: `12. May` above `19. May` stays the 19th. Of repeated `1.` each
 * counts, as in Markdown.
 */
markdown.core.ruler.push('numbers_as_written', (state) => {
  const written: Token[] = [];
  const lists: { last: number; shown: number }[] = [];
  for (const token of state.tokens) {
    if (/_list_open$/.test(token.type)) lists.push({ last: Number.NaN, shown: Number.NaN });
    else if (/_list_close$/.test(token.type)) lists.pop();
    const list = lists.at(-1);
    if (token.type === 'list_item_open' && token.info !== '' && list) {
      const number = Number(token.info);
      const isFirst = Number.isNaN(list.last);
      const counts = number === list.shown + 1 || (number === 1 && list.last === 1);
      if (!isFirst && !counts) written.push(...anotherList(state, number));
      list.shown = isFirst || !counts ? number : list.shown + 1;
      list.last = number;
    }
    written.push(token);
  }
  state.tokens = written;
});

/** Raw HTML is escaped; line ends are kept; nothing is fetched. */
export const renderMarkdown = (body: string): string => markdown.render(body);

/** Parses a search query. Refuses known fields with an invalid value, and fields of other mail programs. */

import { parseDomain } from '../../kernel/address.ts';
import { wrongField } from '../../kernel/errors.ts';
import { parseDay } from '../../kernel/utc-period.ts';
import type { SearchQuery, SearchTerm } from '../../store/search/full-text-search.ts';

/** Each term costs one walk of the index. */
const MAX_TERMS = 32;
/** A prefix matches every word of the index that begins with it, thousands where it is short. */
const MAX_PREFIXES = 3;
const LEAST_PREFIX_LETTERS = 3;
/** A character of a script with thousands of them, or without spaces, is as selective as some letters. */
const DENSE = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** `-`, a field, and a phrase or a word. */
const TOKEN = /(-?)(?:(from|to|subject|has|is|in|before|after|like):)?(?:"([^"]*)"?|(\S+))/giu;

/** A field with a blank behind it, as people write it. */
const APART = /((?:^|\s)-?(?:from|to|subject):)\s+(?=\S)/giu;

const OURS =
  'The operators are from: to: subject: has:attachment is:unread is:read in:in in:out before:YYYY-MM-DD after:YYYY-MM-DD like:"a meaning", "a phrase", -word, OR and inv*';
/** Fields of other mail programs: as words they would silently find nothing. */
const FOREIGN =
  /(?:^|\s)-?(label|category|filename|larger|smaller|size|older_than|newer_than|older|newer|cc|bcc|deliveredto|list|rfc822msgid):(?=\S)/iu;

const notTaken = (what: string) => wrongField('q', `: ${what} is no operator here. ${OURS}`);

const COLUMNS = { from: 'sender', to: 'recipients', subject: 'subject' } as const;
const isColumnField = (name: string): name is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, name);

/** Applies a field that filters instead of matching words. @returns whether the term was such a field */
const applyFilter = (query: SearchQuery, name: string, value: string): boolean => {
  const lower = value.toLowerCase();
  if (name === 'has' && /^attachments?$/.test(lower)) query.hasAttachment = true;
  else if (name === 'is' && (lower === 'unread' || lower === 'read')) query.unread = lower === 'unread';
  else if (name === 'in' && (lower === 'in' || lower === 'inbox')) query.direction = 'in';
  else if (name === 'in' && (lower === 'out' || lower === 'sent')) query.direction = 'out';
  else if (name === 'before' || name === 'after') {
    const day = parseDay(value.replaceAll('/', '-'));
    if (day === null) return false;
    if (name === 'after') query.after = Math.max(query.after ?? day, day);
    else query.before = Math.min(query.before ?? day, day);
  } else return false;
  return true;
};

/** Whether the text has a searchable word: punctuation alone matches nothing. */
const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const toTerm = (column: SearchTerm['column'], text: string, isPhrase: boolean): SearchTerm => {
  const prefix = !isPhrase && text.endsWith('*');
  const isName = column === 'sender' || column === 'recipients';
  return { column, text: prefix ? text.slice(0, -1) : text, prefix, stems: !isPhrase && !prefix && !isName };
};

/** Addresses are stored with the domain's ASCII form; a name may look like a domain, so both are looked for. */
const inEachForm = (term: SearchTerm): SearchTerm[] => {
  const at = term.text.lastIndexOf('@') + 1;
  const isAddress = term.column === 'sender' || term.column === 'recipients';
  const domain = isAddress && /[^\0-\x7f]/.test(term.text.slice(at)) ? parseDomain(term.text.slice(at)) : null;
  return domain === null ? [term] : [term, { ...term, text: `${term.text.slice(0, at)}${domain}` }];
};

/** Whether a prefix's last word is long enough to name few words. */
const isSelective = ({ text }: SearchTerm): boolean => {
  const last = text.match(/[\p{L}\p{N}\p{M}]+/gu)?.at(-1) ?? '';
  return DENSE.test(last) || [...last].length >= LEAST_PREFIX_LETTERS;
};

const requireFewPrefixes = ({ all, none }: SearchQuery): void => {
  const prefixes = [...all.flat(), ...none].filter(({ prefix }) => prefix);
  if (prefixes.length <= MAX_PREFIXES && prefixes.every(isSelective)) return;
  throw wrongField(
    'q',
    `: a word with * has at least ${LEAST_PREFIX_LETTERS} letters before it, as \`inv*\`, and a query at most ${MAX_PREFIXES} such words`,
  );
};

export interface ParsedSearch extends SearchQuery {
  /** The subject matter for a ranking by meaning; null: none. */
  like: string | null;
}

/**
 * @returns null where the text has no searchable term
 * @throws ApiError invalid_request for unknown operators, and for prefixes that are too short or too many
 */
export const parseSearch = (text: string): ParsedSearch | null => {
  const query: ParsedSearch = {
    like: null,
    all: [],
    none: [],
    hasAttachment: false,
    unread: null,
    direction: null,
    after: null,
    before: null,
  };
  let joinNext = false;
  let terms = 0;
  let filters = 0;
  const foreign = FOREIGN.exec(text.replace(/"[^"]*"?/gu, ' '))?.[1];
  if (foreign) throw notTaken(`${foreign.toLowerCase()}:`);
  // An engine's expression ends at U+0000.
  for (const [, minus, field = '', phrase, word] of text.replaceAll('\0', ' ').replace(APART, '$1').matchAll(TOKEN)) {
    if (word === 'OR' && !minus && !field) {
      joinNext = query.all.length > 0;
      continue;
    }
    // All words are wanted in any case.
    if (word === 'AND' && !minus && !field) continue;
    const name = field.toLowerCase();
    const value = phrase ?? word ?? '';
    if (name && !minus && applyFilter(query, name, value)) {
      filters += 1;
      continue;
    }
    if (name === 'like' && !minus && query.like === null && hasWord(value)) {
      query.like = value;
      continue;
    }
    if (name && !isColumnField(name)) throw notTaken(`${minus}${name}:${value.slice(0, 50)}`);
    const named = isColumnField(name) ? COLUMNS[name] : null;
    const term = toTerm(named, value, phrase !== undefined);
    if (!hasWord(term.text) || terms >= MAX_TERMS) continue;
    const group = query.all.at(-1);
    const forms = inEachForm(term);
    terms += forms.length;
    if (minus) query.none.push(...forms);
    else if (joinNext && group) group.push(...forms);
    else query.all.push(forms);
    joinNext = false;
  }
  requireFewPrefixes(query);
  return terms + filters > 0 || query.like !== null ? query : null;
};

/** Reads what a person types into a search box. Any text is a query: what has no meaning as an operator is a word. */

import type { Millis } from '../../kernel/clock.ts';
import type { SearchQuery, SearchTerm } from '../../store/sqlite/search.ts';

/** A query names a few things; more would cost a walk of the index each. */
const MAX_TERMS = 32;

/** `-`, a field, and a phrase or a word. */
const TOKEN = /(-?)(?:(from|to|subject|has|is|in|before|after):)?(?:"([^"]*)"?|(\S+))/giu;

const COLUMNS = { from: 'sender', to: 'recipients', subject: 'subject' } as const;
const isColumnField = (name: string): name is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, name);

/** The start of a UTC day. */
const dayStart = (text: string): Millis | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 30 February for a day in March.
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(text) ? null : at;
};

/** Applies a field that filters rather than matches words. @returns whether it had that meaning */
const applyFilter = (query: SearchQuery, name: string, value: string): boolean => {
  const lower = value.toLowerCase();
  if (name === 'has' && /^attachments?$/.test(lower)) query.hasAttachment = true;
  else if (name === 'is' && (lower === 'unread' || lower === 'read')) query.unread = lower === 'unread';
  else if (name === 'in' && (lower === 'in' || lower === 'inbox')) query.direction = 'in';
  else if (name === 'in' && (lower === 'out' || lower === 'sent')) query.direction = 'out';
  else if (name === 'before' || name === 'after') {
    const day = dayStart(value);
    if (day === null) return false;
    if (name === 'after') query.after = Math.max(query.after ?? day, day);
    else query.before = Math.min(query.before ?? day, day);
  } else return false;
  return true;
};

/** Whether the index would find a word in it: punctuation alone matches nothing and would refuse everything. */
const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const termOf = (column: SearchTerm['column'], text: string, isPhrase: boolean): SearchTerm => {
  const prefix = !isPhrase && text.endsWith('*');
  return { column, text: prefix ? text.slice(0, -1) : text, prefix };
};

/** @returns null where nothing in the text asks for anything */
export const parseSearch = (text: string): SearchQuery | null => {
  const query: SearchQuery = {
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
  for (const [, minus, field = '', phrase, word] of text.matchAll(TOKEN)) {
    if (word === 'OR' && !minus && !field) {
      joinNext = query.all.length > 0;
      continue;
    }
    const name = field.toLowerCase();
    const value = phrase ?? word ?? '';
    if (name && !minus && applyFilter(query, name, value)) {
      filters += 1;
      continue;
    }
    const named = isColumnField(name) ? COLUMNS[name] : null;
    const term = termOf(named, named || !name ? value : `${name} ${value}`, phrase !== undefined);
    if (!hasWord(term.text) || terms === MAX_TERMS) continue;
    terms += 1;
    const group = query.all.at(-1);
    if (minus) query.none.push(term);
    else if (joinNext && group) group.push(term);
    else query.all.push([term]);
    joinNext = false;
  }
  return terms + filters > 0 ? query : null;
};

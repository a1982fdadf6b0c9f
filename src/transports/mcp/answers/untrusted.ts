/**
 * Separates a tool's answer into Postroom's own values and untrusted text (fence.ts shows it), and leaves details out.
 */

import type { z } from 'zod';
import { pickAll, type SchemaPath } from '../../../kernel/schema-walk.ts';
import { type DetailField, detailFields } from '../../../kernel/tools/tool-fields.ts';
import { type Untrusted, untrustedFields, type Writer } from '../../../kernel/tools/untrusted-fields.ts';

/** The marked fields of an answer: a tree in its shape, with `*` for the items of a list. */
export interface AnswerFields {
  untrusted?: Untrusted;
  detail?: DetailField;
  below: Map<string, AnswerFields>;
}

export const answerFieldsOf = (schema: z.ZodType): AnswerFields => {
  const root: AnswerFields = { below: new Map() };
  for (const { path, picked } of pickAll(schema, (layer) => untrustedFields.get(layer)))
    nodeAt(root, path).untrusted = picked;
  for (const { path, picked } of pickAll(schema, (layer) => detailFields.get(layer)))
    nodeAt(root, path).detail = picked;
  return root;
};

const nodeAt = (root: AnswerFields, path: SchemaPath): AnswerFields => {
  let node = root;
  for (const name of path) {
    const next = node.below.get(name) ?? { below: new Map() };
    node.below.set(name, next);
    node = next;
  }
  return node;
};

export interface SeparatedAnswer {
  /** The same answer with null in the place of the untrusted fields. */
  structured: unknown;
  /** Those fields, in the answer's own shape, with the id of each record; undefined: none has text. */
  quoted: unknown;
  /** The authors of the quoted fields. */
  authors: Set<Writer>;
}

/** @param input the arguments, which may select the shown fields */
export const separateUntrusted = (
  value: unknown,
  fields: AnswerFields,
  input: Readonly<Record<string, unknown>>,
  isDetailed: boolean,
): SeparatedAnswer => {
  const authors = new Set<Writer>();
  const isShown = ({ shownFor }: Untrusted): boolean => {
    if (shownFor === null) return true;
    const said = input[shownFor.argument];
    return said === undefined ? shownFor.isDefault : said === shownFor.value;
  };
  const context: Context = { isDetailed, isShown, authors, isOwn: false, items: null };
  const { trusted, quoted } = separate(value, fields, context);
  return { structured: trusted, quoted, authors };
};

interface Context {
  isDetailed: boolean;
  isShown(field: Untrusted): boolean;
  authors: Set<Writer>;
  /** Within mail that the caller sent. */
  isOwn: boolean;
  /** Entries of the enclosing list; null outside of a list. */
  items: number | null;
}

interface Parts {
  /** Undefined: left out. */
  trusted: unknown;
  /** Undefined: none. */
  quoted?: unknown;
}

const separate = (value: unknown, { untrusted, below }: AnswerFields, context: Context): Parts => {
  if (value === null || value === undefined) return { trusted: value };
  if (untrusted) return takeOut(value, untrusted, context);
  if (Array.isArray(value)) return separateItems(value, below.get('*'), context);
  if (typeof value !== 'object') return { trusted: value };
  return separateRecord(value as Record<string, unknown>, below, context);
};

const takeOut = (value: unknown, field: Untrusted, context: Context): Parts => {
  if (field.form === 'named') {
    const trusted = Array.isArray(value) ? value.map(addressIn) : addressIn(value);
    // In a list of mails, recipients are shown by address only.
    const names = Array.isArray(value)
      ? context.items === null
        ? value.map(nameIn).filter(Boolean)
        : []
      : nameIn(value);
    return { trusted, quoted: quote(names, field, context) };
  }
  if (!context.isShown(field)) return { trusted: null };
  const text = field.form === 'excerpt' && typeof value === 'string' ? cutExcerpt(value, context.items) : value;
  return { trusted: null, quoted: quote(text, field, context) };
};

const quote = (value: unknown, { by }: Untrusted, { authors, isOwn }: Context): unknown => {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  authors.add(isOwn && by === 'sender' ? 'you' : by);
  return value;
};

const separateItems = (value: unknown[], item: AnswerFields | undefined, context: Context): Parts => {
  const within = { ...context, items: value.length };
  const parts = value.map((each) => separate(each, item ?? NOTHING, within));
  const quoted = parts.map((part) => part.quoted).filter((each) => each !== undefined);
  return { trusted: parts.map(({ trusted }) => trusted), quoted: quoted.length === 0 ? undefined : quoted };
};

const NOTHING: AnswerFields = { below: new Map() };

/** The caller's own text is trusted. */
const isOwnWord = ({ made_by: by }: Record<string, unknown>): boolean =>
  typeof by === 'object' && by !== null && (by as { own?: unknown }).own === true;

/** Fields that identify an answer's records, and the texts of one record. */
const IDENTIFYING = [
  'id',
  'message_id',
  'pending_id',
  'scheduled_id',
  'page_id',
  'delivery_id',
  'name',
  'value',
] as const;

/** Entries that are shown of a list. It is a stranger's, or stands in each row of another list. */
const MAX_ENTRIES = 20;

/** A field's value, in brief unless `detail` was asked for, and how many of its entries are left out. */
const shownOf = (
  record: Record<string, unknown>,
  name: string,
  { untrusted, detail }: AnswerFields,
  { isDetailed, items }: Context,
): { value: unknown; more: number } => {
  const whole = record[name];
  if (isDetailed) return { value: whole, more: 0 };
  const isThere = whole !== null && whole !== undefined;
  const value = detail ? (isThere ? detail.brief?.(whole, record) : undefined) : whole;
  const isCut = Array.isArray(value) && value.length > MAX_ENTRIES && (items !== null || untrusted !== undefined);
  return isCut ? { value: value.slice(0, MAX_ENTRIES), more: value.length - MAX_ENTRIES } : { value, more: 0 };
};

const separateRecord = (
  record: Record<string, unknown>,
  below: ReadonlyMap<string, AnswerFields>,
  context: Context,
): Parts => {
  if (isOwnWord(record)) return { trusted: record };
  const within = record.direction === 'out' && !context.isOwn ? { ...context, isOwn: true } : context;
  const trusted: Record<string, unknown> = {};
  const quoted: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const fields = below.get(name) ?? NOTHING;
    const { value, more } = shownOf(record, name, fields, within);
    if (more > 0) trusted[`${name}_more`] = more;
    const parts = separate(value, fields, within);
    if (parts.trusted !== undefined) trusted[name] = parts.trusted;
    if (parts.quoted !== undefined) quoted[name] = parts.quoted;
  }
  if (Object.keys(quoted).length === 0) return { trusted };
  const name = IDENTIFYING.find((each) => typeof record[each] === 'string' && !(each in quoted));
  return {
    trusted,
    quoted: {
      ...(name !== undefined && { [name === 'name' ? name : 'id']: record[name] }),
      ...(within.isOwn && !context.isOwn && { by: 'you' }),
      ...quoted,
    },
  };
};

/** `Name <a@b>`, in the form for display. */
const NAMED = /^("(?:[^"\\]|\\.)*"|[^<"]*) <(.*)>$/s;

/** A local part in quotes may be a sentence of its sender: then the whole address is taken as a name. */
const SPOKEN = /^"(?=[^"]*\s)(?:[^"\\]|\\.)*"(?=@)/s;

const bare = (written: string): string => NAMED.exec(written)?.[2] ?? written;

const addressIn = (written: unknown): unknown =>
  typeof written === 'string' ? bare(written).replace(SPOKEN, '"…"') : written;

const nameIn = (written: unknown): string => {
  if (typeof written === 'string' && SPOKEN.test(bare(written))) return written;
  const name = (typeof written === 'string' && NAMED.exec(written)?.[1]) || '';
  return name.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name;
};

/** Characters of all excerpts of a list together, and of each at least and at most. */
const ALL_EXCERPTS = 1_000;
const LEAST_EXCERPT = 40;
const LONGEST_EXCERPT = 160;
/** Characters of a cut excerpt before its first match. */
const BEFORE_MATCH = 12;

const cutExcerpt = (text: string, items: number | null): string => {
  const most = items === null ? LONGEST_EXCERPT : ALL_EXCERPTS / items;
  const length = Math.floor(Math.min(LONGEST_EXCERPT, Math.max(LEAST_EXCERPT, most)));
  if (text.length <= length) return text;
  const match = text.indexOf('**');
  const start = match > length / 2 ? match - BEFORE_MATCH : 0;
  const cut = text.slice(start, start + length).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$|\*$/g, '');
  return `${start > 0 ? '…' : ''}${cut}${cut.split('**').length % 2 === 0 ? '**' : ''}${start + length < text.length ? '…' : ''}`;
};

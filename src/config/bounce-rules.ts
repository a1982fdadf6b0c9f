/** The table of replies: what a refusal means for the address that it is about. `config/bounce-rules.toml` is the table. */

import { parse } from 'smol-toml';
import { z } from 'zod';

const MEANINGS = ['permanent', 'blocked', 'expired', 'message', 'retry'] as const;

export type ReplyClass = (typeof MEANINGS)[number];

/** Why a mail came back, as events and suppressions have it. */
export type BounceType = Exclude<ReplyClass, 'retry' | 'message'>;

/** A final failure of one delivery. */
export interface Failure {
  type: BounceType;
  /** False where the failure says nothing of the address: the mail was refused for its size or form. */
  suppresses: boolean;
}

/** What a lasting refusal of that meaning comes to. */
export const toFailure = (meaning: Exclude<ReplyClass, 'retry'>): Failure =>
  meaning === 'message' ? { type: 'permanent', suppresses: false } : { type: meaning, suppresses: true };

const code = z
  .union([z.int(), z.string()])
  .refine((value) => /^[45](\d\d|xx)$/.test(String(value)), 'a reply code from 400 to 599, or "4xx" or "5xx"');
const enhancedCode = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,3})?$/, 'subject and detail, as "1.1", or a subject alone, as "7"');
const phrase = z
  .string()
  .regex(/^[\p{L}\p{N}]+\*?( (\.\.\. )?[\p{L}\p{N}]+\*?)*$/u, 'words in lower case with one blank between them')
  .refine((text) => text === text.toLowerCase(), 'words in lower case');

const ruleSchema = z
  .strictObject({
    means: z.enum(MEANINGS),
    codes: z.array(code).min(1).optional(),
    enhanced: z.array(enhancedCode).min(1).optional(),
    text: z.array(phrase).min(1).optional(),
  })
  .refine(({ codes, enhanced, text }) => codes ?? enhanced ?? text, 'a rule names codes, enhanced or text');

const tableSchema = z.strictObject({ rule: z.array(ruleSchema).min(1) });

/** A word of a phrase: the gap before it in words of any kind, and whether it is only a word's beginning. */
interface PhraseWord {
  word: string;
  isPrefix: boolean;
  gap: number;
}

interface Rule {
  means: ReplyClass;
  codes: ReadonlySet<number | string> | null;
  enhanced: ReadonlySet<string> | null;
  /** By their first words, so that a text is walked once; phrases that begin with a prefix stand under ''. */
  phrases: ReadonlyMap<string, readonly PhraseWord[][]> | null;
}

export type BounceRules = readonly Rule[];

/** A reply table that cannot be used: a fault of the installation, told as one of the config. */
export class BounceRulesError extends Error {
  override readonly name = 'BounceRulesError';
}

const MAX_GAP_WORDS = 8;
/** A stranger decides how long a reply is; what it means stands in its first lines. */
const MAX_TEXT_CHARS = 2000;
/** Each line of a longer reply begins with the codes again. */
const LINE_CODES = /\b[45]\d\d[ -]+(?:[45]\.\d{1,3}\.\d{1,3}\b)?/g;

const wordsOf = (text: string): string[] =>
  text
    .slice(0, MAX_TEXT_CHARS)
    .replace(LINE_CODES, ' ')
    .replace(/['’]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const readPhrase = (text: string): PhraseWord[] => {
  const words: PhraseWord[] = [];
  let gap = 0;
  for (const written of text.split(' ')) {
    if (written === '...') {
      gap = MAX_GAP_WORDS;
      continue;
    }
    const isPrefix = written.endsWith('*');
    words.push({ word: isPrefix ? written.slice(0, -1) : written, isPrefix, gap });
    gap = 0;
  }
  return words;
};

const byFirstWord = (texts: readonly string[]): Map<string, PhraseWord[][]> => {
  const phrases = new Map<string, PhraseWord[][]>();
  for (const words of texts.map(readPhrase)) {
    const first = words[0]?.isPrefix ? '' : (words[0]?.word ?? '');
    phrases.set(first, [...(phrases.get(first) ?? []), words]);
  }
  return phrases;
};

const isWord = (said: string | undefined, { word, isPrefix }: PhraseWord): boolean =>
  said !== undefined && (isPrefix ? said.startsWith(word) : said === word);

/** Whether a phrase stands in the text at `at`: each of its words is taken at the first place that its gap allows. */
const standsAt = (said: readonly string[], at: number, phrase: readonly PhraseWord[]): boolean => {
  let next = at;
  for (const word of phrase) {
    const last = next + word.gap;
    while (next < last && !isWord(said[next], word)) next += 1;
    if (!isWord(said[next], word)) return false;
    next += 1;
  }
  return true;
};

const isSaid = (said: readonly string[], phrases: NonNullable<Rule['phrases']>): boolean =>
  said.some((word, at) =>
    [...(phrases.get(word) ?? []), ...(phrases.get('') ?? [])].some((phrase) => standsAt(said, at, phrase)),
  );

/**
 * Reads the table.
 * @throws BounceRulesError with every problem, one a line, where the text is none
 */
export const parseBounceRules = (toml: string, where: string): BounceRules => {
  let written: unknown;
  try {
    written = parse(toml);
  } catch (cause) {
    throw new BounceRulesError(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const parsed = tableSchema.safeParse(written);
  if (!parsed.success) throw new BounceRulesError(`${where}: ${z.prettifyError(parsed.error)}`);
  return parsed.data.rule.map(({ means, codes, enhanced, text }) => ({
    means,
    codes: codes ? new Set(codes) : null,
    enhanced: enhanced ? new Set(enhanced) : null,
    phrases: text ? byFirstWord(text) : null,
  }));
};

export interface Reply {
  /** RFC 5321: 400 to 599; null where none is known. */
  code: number | null;
  /** RFC 3463, as `5.1.1`. */
  enhancedCode: string | null;
  text: string;
}

const hasCode = ({ codes }: Rule, { code: said }: Reply): boolean =>
  codes === null || (said !== null && (codes.has(said) || codes.has(`${Math.floor(said / 100)}xx`)));

const hasEnhanced = ({ enhanced }: Rule, { enhancedCode: said }: Reply): boolean => {
  if (enhanced === null) return true;
  const [, subject, detail] = said?.split('.') ?? [];
  return subject !== undefined && (enhanced.has(`${subject}.${detail}`) || enhanced.has(subject));
};

const meaningBy = (rules: BounceRules, reply: Reply): ReplyClass | null => {
  const said = wordsOf(reply.text);
  const rule = rules.find(
    (each) => hasCode(each, reply) && hasEnhanced(each, reply) && (each.phrases === null || isSaid(said, each.phrases)),
  );
  return rule?.means ?? null;
};

/** What a host's reply in a session means. Silence, what is no refusal and what no rule knows are tried again. */
export const classifyReply = (replies: BounceRules, reply: Reply): ReplyClass =>
  reply.code === null || reply.code < 400 ? 'retry' : (meaningBy(replies, reply) ?? 'retry');

const isTemporary = ({ code: said, enhancedCode }: Reply): boolean =>
  enhancedCode !== null ? enhancedCode.startsWith('4.') : said !== null && said < 500;

/** An address in a text: its words say nothing of what happened, telling as they may be. */
const ADDRESS = /["\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}/g;

/**
 * What it means that another host gave a mail up for this reply. A refusal that was only for the time says nothing
 * lasting of the mailbox, so that it never counts as permanent.
 */
export const classifyFailure = (replies: BounceRules, told: Reply): Exclude<ReplyClass, 'retry'> => {
  const reply = { ...told, text: told.text.replace(ADDRESS, ' ') };
  const lasting = replies.filter(({ means }) => means !== 'retry');
  const means = (meaningBy(lasting, reply) ?? (isTemporary(reply) ? 'expired' : 'blocked')) as Exclude<
    ReplyClass,
    'retry'
  >;
  return means === 'permanent' && isTemporary(reply) ? 'expired' : means;
};

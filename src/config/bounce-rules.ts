/** Bounce rules: classify a host's reply by codes and text. The rules are in `config/bounce-rules.toml`. */

import { parse } from 'smol-toml';
import { z } from 'zod';

const CLASSES = ['permanent', 'blocked', 'expired', 'message', 'retry'] as const;

export type ReplyClass = (typeof CLASSES)[number];

/** The bounce type in events and suppressions. */
export type BounceType = Exclude<ReplyClass, 'retry' | 'message'>;

/** The permanent failure of one delivery. */
export interface Failure {
  type: BounceType;
  /** False where the failure does not concern the address: the mail was refused for its size or form. */
  suppresses: boolean;
  /** Whether a permanent failure may pass, for example broken DNS: it suppresses the address for one day only. */
  mayPass?: boolean;
}

/** Whether the address is not there, or takes no mail any more. */
export const isOfAddress = ({ type, suppresses }: Failure): boolean => type === 'permanent' && suppresses;

export const toFailure = (replyClass: Exclude<ReplyClass, 'retry'>): Failure =>
  replyClass === 'message' ? { type: 'permanent', suppresses: false } : { type: replyClass, suppresses: true };

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
    means: z.enum(CLASSES),
    codes: z.array(code).min(1).optional(),
    enhanced: z.array(enhancedCode).min(1).optional(),
    text: z.array(phrase).min(1).optional(),
    recipient: z.literal(true).optional(),
  })
  .refine(({ codes, enhanced, text }) => codes ?? enhanced ?? text, 'a rule names codes, enhanced or text');

const tableSchema = z.strictObject({ rule: z.array(ruleSchema).min(1) });

/** A word of a phrase, or the prefix of one, with the maximum number of other words before it. */
interface PhraseWord {
  word: string;
  isPrefix: boolean;
  gap: number;
}

interface Rule {
  means: ReplyClass;
  codes: ReadonlySet<number | string> | null;
  enhanced: ReadonlySet<string> | null;
  isOfRecipient: boolean;
  /** By first word, so that one pass over a text suffices; phrases that begin with a prefix are under ''. */
  phrases: ReadonlyMap<string, readonly PhraseWord[][]> | null;
}

export type BounceRules = readonly Rule[];

/** Invalid rules: an installation error, reported like one of the config. */
export class BounceRulesError extends Error {
  override readonly name = 'BounceRulesError';
}

const MAX_GAP_WORDS = 8;
/** Replies are untrusted and may be long; only their beginning is classified. */
const MAX_TEXT_CHARS = 2000;
/** Every line of a multi-line reply repeats the codes. */
const LINE_CODES = /\b[45]\d\d[ -]+(?:[45]\.\d{1,3}\.\d{1,3}\b)?/g;

const splitWords = (text: string): string[] =>
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

const isWord = (text: string | undefined, { word, isPrefix }: PhraseWord): boolean =>
  text !== undefined && (isPrefix ? text.startsWith(word) : text === word);

/** Whether a phrase matches the words from `at` on; each of its words matches at the first position that its gap allows. */
const matchesAt = (words: readonly string[], at: number, phrase: readonly PhraseWord[]): boolean => {
  let next = at;
  for (const word of phrase) {
    const last = next + word.gap;
    while (next < last && !isWord(words[next], word)) next += 1;
    if (!isWord(words[next], word)) return false;
    next += 1;
  }
  return true;
};

const hasPhrase = (words: readonly string[], phrases: NonNullable<Rule['phrases']>): boolean =>
  words.some((word, at) =>
    [...(phrases.get(word) ?? []), ...(phrases.get('') ?? [])].some((phrase) => matchesAt(words, at, phrase)),
  );

/** @throws BounceRulesError with every problem of the text, one a line */
export const parseBounceRules = (toml: string, where: string): BounceRules => {
  let written: unknown;
  try {
    written = parse(toml);
  } catch (cause) {
    throw new BounceRulesError(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const parsed = tableSchema.safeParse(written);
  if (!parsed.success) throw new BounceRulesError(`${where}: ${z.prettifyError(parsed.error)}`);
  return parsed.data.rule.map(({ means, codes, enhanced, text, recipient = false }) => ({
    means,
    isOfRecipient: recipient,
    codes: codes ? new Set(codes) : null,
    enhanced: enhanced ? new Set(enhanced) : null,
    phrases: text ? byFirstWord(text) : null,
  }));
};

export interface Reply {
  /** RFC 5321, 400 to 599; null where none is known. */
  code: number | null;
  /** RFC 3463, as `5.1.1`. */
  enhancedCode: string | null;
  text: string;
  /** Whether it answers RCPT; left out where that is not known. */
  isOfRecipient?: boolean;
}

const hasCode = ({ codes }: Rule, { code: replied }: Reply): boolean =>
  codes === null || (replied !== null && (codes.has(replied) || codes.has(`${Math.floor(replied / 100)}xx`)));

const hasEnhanced = ({ enhanced }: Rule, { enhancedCode }: Reply): boolean => {
  if (enhanced === null) return true;
  const [, subject, detail] = enhancedCode?.split('.') ?? [];
  return subject !== undefined && (enhanced.has(`${subject}.${detail}`) || enhanced.has(subject));
};

const firstMatch = (rules: BounceRules, reply: Reply): ReplyClass | null => {
  const words = splitWords(reply.text);
  const rule = rules.find(
    (each) =>
      hasCode(each, reply) &&
      hasEnhanced(each, reply) &&
      (each.phrases === null || hasPhrase(words, each.phrases)) &&
      !(each.isOfRecipient && reply.isOfRecipient === false),
  );
  return rule?.means ?? null;
};

/** Classifies a reply received in a session. No reply, no refusal or no matching rule: retry. */
export const classifyReply = (rules: BounceRules, reply: Reply): ReplyClass =>
  reply.code === null || reply.code < 400 ? 'retry' : (firstMatch(rules, reply) ?? 'retry');

const isTemporary = ({ code: replied, enhancedCode }: Reply): boolean =>
  enhancedCode !== null ? enhancedCode.startsWith('4.') : replied !== null && replied < 500;

/** An address in a text; its words must not match a rule. */
const ADDRESS = /["\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}/g;

/** Classifies the reply for which another host bounced a mail. A transient reply counts as expired, never as permanent. */
export const classifyFailure = (rules: BounceRules, reported: Reply): Exclude<ReplyClass, 'retry'> => {
  const reply = { ...reported, text: reported.text.replace(ADDRESS, ' ') };
  const lasting = rules.filter(({ means }) => means !== 'retry');
  const means = (firstMatch(lasting, reply) ?? (isTemporary(reply) ? 'expired' : 'blocked')) as Exclude<
    ReplyClass,
    'retry'
  >;
  return means === 'permanent' && isTemporary(reply) ? 'expired' : means;
};

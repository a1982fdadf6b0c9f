/**
 * Finds the reason of a refusal, by this instance or a receiving host, from enhanced status code (RFC 3463), code and
 * words.
 */

import type { Reason } from './reasons.ts';

/** Phrases of large receivers with ambiguous codes. The first match decides. */
const WORDS: readonly (readonly [RegExp, Reason])[] = [
  // What is to be mended stands before its consequence: "rate limited because SPF did not pass" (Google, 4.7.27).
  [/\bPTR\b|reverse dns|rdns|forward.confirmed|hostname.*(mismatch|not (found|match))/i, 'no_reverse_dns'],
  [
    /unauthenticated|dmarc|authentication level|n't aligned|\bspf\b.*(fail|pass|not (allowed|permitted))|dkim.*(fail|pass|required)/i,
    'unauthenticated',
  ],
  // Google (4.2.1, 4.7.28), Yahoo (TSS04, TSS09), Microsoft (AS780xxx, RP-001..3), Apple (HM07/08), GMX and web.de.
  [
    /\bRP-00[123]\b|\bTSS0[4-9]\b|unusual rate|at a rate|rate.?limit|send(ing)? limit|too (many (recent )?(messages|connections|recipients|sessions)|quickly)|throttl|deferred due to|server busy/i,
    'rate_limited',
  ],
  [/greylist|graylist|postgrey|verification in progress|try again (in|later) .*(first|unknown)/i, 'greylisted'],
  [
    /\bS31[45]0\b|\bTS0[123]\b|\bHM0\d\b|\bCS01\b|\bAUP#(BL|CXSNDR)|@rx\.t-online\.de|ipcheck\.proofpoint|block(ed)? ?(list|using)|blacklist|spamhaus|barracuda|spamcop|uceprotect|\bRBL\b|\bDNSBL\b|reputation|banned send|not accepted from this ip/i,
    'reputation',
  ],
  [/\bspam\b|unsolicited|content (rejected|refused|restrictions)|phish|virus|malware/i, 'content_refused'],
];

const ENHANCED: Readonly<Record<string, Reason>> = {
  '1.0': 'unknown_recipient',
  '1.1': 'unknown_recipient',
  '1.2': 'no_such_domain',
  '1.3': 'malformed',
  '1.6': 'unknown_recipient',
  '1.7': 'malformed',
  '1.10': 'no_such_domain',
  '2.0': 'policy',
  '2.1': 'recipient_suspended',
  '2.2': 'mailbox_full',
  '2.3': 'too_large',
  '3.1': 'busy',
  '3.2': 'busy',
  '3.4': 'too_large',
  '4.3': 'dns_failure',
  '4.4': 'unreachable',
  '4.5': 'busy',
  '4.6': 'mail_loop',
  '4.7': 'too_old',
  '5.0': 'protocol',
  '5.1': 'protocol',
  '5.2': 'protocol',
  '5.3': 'policy',
  '5.4': 'protocol',
  '7.5': 'tls_required',
  '7.8': 'login_failed',
  '7.20': 'unauthenticated',
  '7.23': 'unauthenticated',
  '7.25': 'no_reverse_dns',
  '7.26': 'unauthenticated',
  '7.27': 'unauthenticated',
  '7.28': 'rate_limited',
};

const SUBJECTS: Readonly<Record<string, Reason>> = { '3': 'busy', '5': 'protocol', '6': 'malformed', '7': 'policy' };

/** Told of an address that the rules read as not there, these are its host's choice of code: Outlook.com says 5.5.0 of it. */
const AMBIGUOUS: ReadonlySet<Reason> = new Set(['policy', 'other', 'protocol', 'busy', 'too_large']);

export interface Refusal {
  /** Null: no host has replied. */
  code: number | null;
  /** As `5.7.26`; null where the reply has none. */
  enhanced: string | null;
  text: string;
  /** Whether the bounce rules read the reply as one about the address; left out: they do not. */
  isOfAddress?: boolean;
}

/** RFC 5321 section 4.2.3, where a reply has no enhanced code. */
const byCode = (code: number | null): Reason => {
  if (code === null) return 'unreachable';
  if (code === 452 || code === 421 || code === 451) return 'busy';
  if (code === 552) return 'too_large';
  if (code === 550 || code === 551) return 'policy';
  return code >= 500 && code < 505 ? 'protocol' : 'other';
};

export const toReason = ({ code, enhanced, text, isOfAddress = false }: Refusal): Reason => {
  const known = WORDS.find(([words]) => words.test(text));
  const [, level, detail] = /^([245])\.(\d{1,3}\.\d{1,3})$/.exec(enhanced ?? '') ?? [];
  const byDetail = detail === undefined ? undefined : (ENHANCED[detail] ?? SUBJECTS[detail.split('.')[0] ?? '']);
  // 450 4.1.1 tells of an address that is still looked up (Postfix).
  const byEnhanced = level === '4' && byDetail === 'unknown_recipient' ? undefined : byDetail;
  // An unknown address is reported as such, before all other reasons.
  if (byEnhanced === 'unknown_recipient' || byEnhanced === 'login_failed') return byEnhanced;
  const reason = known?.[1] ?? byEnhanced ?? byCode(code);
  return isOfAddress && AMBIGUOUS.has(reason) ? 'unknown_recipient' : reason;
};

/**
 * Parses free-text bounces: of qmail, Exim, Sendmail before RFC 1894, Exchange and web mail hosts. They share a daemon
 * as author, a failure phrase, the recipient's address, the remote's reply and the returned mail below.
 */

import type { ParsedMail } from '../mime/parse-message.ts';
import { codesIn, readDeliveryStatus, reportedAddress } from './delivery-status.ts';
import type { ReportedRecipient } from './mail-report.ts';

type BounceMail = Pick<ParsedMail, 'from' | 'subject' | 'headers' | 'text'>;

/** Characters that are searched; the report precedes the returned mail. */
const MAX_TEXT_CHARS = 32 * 1024;
const MAX_DIAGNOSTIC = 1000;
const MAX_RECIPIENTS = 50;

const DAEMON =
  /^(?:(?:mailer|mail|mailerdaemon|maildaemon)[-_.]?daemon|mailer|po+st[-_.]?master|mdaemon)(?:[-_.+].*)?@/i;
const DAEMON_NAME =
  /\b(?:mail(?:er)? deliver\w*|mail(?:er)?[ -]?daemon|postmaster|mail administrator|delivery subsystem)\b/i;
const SUBJECT =
  /\b(?:undeliver\w+|undelivered|non[- ]?deliver\w*|delivery (?:status|failure|failed|has failed|error|report|problem|notification)|returned (?:mail|to sender|message)|returning (?:message )?to sender|failure notice|failure delivery|failed delivery|mail (?:failure|failed|delivery|system error)|message (?:could not be|not) (?:sent|delivered)|error sending your mail|could ?n.t be delivered|delivery unsuccessful|email (?:could not|not) (?:be )?delivered|rejected mail|bounced? (?:mail|message)|notification of (?:delivery )?failure)\b|メールエラー|配信エラー|不達/i;
/** Behind "Re:", "Automatic reply:" or "[Request received]" stands the subject of the answered mail, whatever it says. */
const ANSWERED_SUBJECT = /(?:[:：]|^\s*[[【(][^\])】]{1,80}[\])】]).*$/s;

/** Begins the returned mail. */
const RETURNED =
  /^[>| \t]{0,20}(?:[-=_*|]{2,80}[^\n]{0,80}\b(?:original|copy|unsent|returned|enclosed|forwarded|text follows|headers? (?:follow|of))\b|(?:original message|message headers|message text|undelivered message|returned message|rejected message|message header|headers)\b[^\n]{0,40}\b(?:follows?|below|attached|:)|(?:below|here|this) is (?:a copy|the (?:original|first|header))|original message(?: headers?)?:|(?:received|return-path|dkim-signature|x-received)[ \t]*:[ \t]*\S)/im;
const DELAYED =
  /\b(?:warning message only|do not need to resend|will be retried|will (?:continue|keep) (?:to try|trying)|has been delayed|is (?:being )?delayed|delayed mail|still being retried|not yet been delivered|temporar(?:y|ily) (?:delay|problem) (?:in|delivering))\b/i;
const FAILED =
  /\b(?:un(?:able|successful) to (?:deliver|contact|send|reach)|unable to deliver|could ?n[o']?t be (?:delivered|sent)|could not (?:deliver|be delivered|send)|cannot (?:be )?(?:deliver\w*|send)|can ?not be delivered|was ?n[o']?t (?:able to deliver|delivered|found)|not (?:able to (?:be )?deliver\w*|delivered|be delivered)|undeliver\w+|did not reach|didn't reach|failed (?:addresses|recipients?|permanently|to deliver)|following address(?:es)?(?:\(es\))? failed|(?:has|have|had) (?:permanent|delivery|fatal|failed)\b[^\n]{0,60}|deliver\w+ (?:has |have )?(?:failed|failure|errors?|problems?)|error (?:delivering|occurred|message|while)|permanent (?:fatal )?errors?|rejected (?:your|recipient|by)|transcript of session|failure reasons?|not accepted|returned to sender|bounced|may not exist|malformed address|mailbox is full|unknown (?:user|recipient|address)|user unknown|no such user|invalid (?:user|address|recipient)|trouble delivering|account is disabled|did not receive this message|server message|delivery problems?|message from\b[^\n]{0,60}\bcannot|refused to accept)\b/i;

const ADDRESS = /(?<![\w.!#$%&'*+/=?^`{|}~-])["\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}/g;
/** A line about one recipient: the address at its start, alone or followed by the reason. */
const RECIPIENT_LINE =
  /^[>\s]{0,12}(?:>>> |[-*] |rcpt to: ?|recipient address: |undeliverable to |unknown user: |could not be delivered to: ?|\[?status: error, address: )?<?(["\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10})>?(?=[\s:;,<([]|\.?$)/i;
/** An address within a sentence. */
const RECIPIENT_IN_LINE =
  /\b(?:delivering your mail to|permanent errors: ?|attempts:|rejected recipient|mail(?:box)? (?:to|for)|recipients?(?: address)?:?|user:?|is full:) <?(["\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10})>?/i;
/** The form of Sendmail before DSNs. */
const SENDMAIL_LINE = /^[45]\d\d <([^<>\s]{3,320})>\.\.\. /;

const isFromDaemon = ({ from, headers }: BounceMail): boolean => {
  const [author] = from;
  const written = headers.find(({ name }) => name.toLowerCase() === 'from')?.value ?? '';
  return (
    (author !== undefined && (DAEMON.test(author.address) || DAEMON_NAME.test(author.name ?? ''))) ||
    DAEMON_NAME.test(written) ||
    DAEMON.test(`${written.trim()}@`) ||
    /^<?>?$/.test(written.trim())
  );
};

const readFailedRecipients = ({ headers }: BounceMail): string[] =>
  headers
    .filter(({ name }) => name.toLowerCase() === 'x-failed-recipients')
    .flatMap(({ value }) => value.split(','))
    .slice(0, MAX_RECIPIENTS)
    .map(reportedAddress)
    .filter((address) => address.includes('@'));

/** A reply or vacation notice that a correspondent sent is not a bounce, whatever its text. */
const isBounce = (mail: BounceMail, explanation: string): boolean => {
  if (readFailedRecipients(mail).length > 0) return true;
  if (isFromDaemon(mail)) return SUBJECT.test(mail.subject) || FAILED.test(explanation);
  return SUBJECT.test(mail.subject.replace(ANSWERED_SUBJECT, '')) && FAILED.test(explanation);
};

interface Block {
  address: string;
  lines: string[];
}

const readBlockStart = (line: string): string | null => {
  const found = SENDMAIL_LINE.exec(line) ?? RECIPIENT_LINE.exec(line) ?? RECIPIENT_IN_LINE.exec(line);
  return found?.[1] ? reportedAddress(found[1]) : null;
};

/** Splits the text at the lines that begin with a recipient. */
const splitBlocks = (lines: readonly string[]): { before: string[]; blocks: Block[] } => {
  const before: string[] = [];
  const blocks: Block[] = [];
  for (const line of lines) {
    const address = readBlockStart(line);
    const known = address === null ? undefined : blocks.find((each) => each.address === address);
    const block = known ?? blocks.at(-1);
    if (address !== null && !known && blocks.length < MAX_RECIPIENTS) blocks.push({ address, lines: [line] });
    else if (block) block.lines.push(line);
    else before.push(line);
  }
  return { before, blocks };
};

/** A reply as a host gives it, with its reply code before the enhanced code alone. */
const REPLIES = [
  /(?<![\d.\w])[45]\d\d:?[ -]{1,3}(?:\n[ \t]*)?(?:[45]\.\d{1,3}\.\d{1,3}|[45]\d\d )/,
  /(?<![\d.\w])[45]\d\d(?:[ -]{1,3}|: ?)(?!(?:bytes|[kmg]b|seconds|minutes|hours|days)\b)[^\s\d]/,
  /\b(?:error_code|responsecode) ?:? ?[45]\d\d\b/i,
  /\(?#[45]\.\d{1,3}\.\d{1,3}\b/,
  /(?<![\d.\w])[45]\.\d{1,3}\.\d{1,3}\s/,
];

/** Returns the text from the first reply to the end of its paragraph; the text around it is boilerplate. */
const findReply = (text: string): string | null => {
  const at = REPLIES.map((reply) => text.search(reply)).find((found) => found >= 0);
  if (at === undefined) return null;
  const end = text.slice(at + 1).search(/\n[ \t]*\n/);
  return end < 0 ? text.slice(at) : text.slice(at, at + 1 + end);
};

/** Whether a text contains letters outside of addresses. */
const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(ADDRESS, ' '));

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_DIAGNOSTIC);

/** Exim's line for the address that expanded to the failed one: an alias, or a pipe to a program. */
const GENERATED_FROM = /^[ \t]*\((?:ultimately )?generated from ([^\s()<>]{3,320}@[^\s()<>]{1,255})\)[ \t]*$/im;

const toReported = (
  address: string,
  text: string,
  whole: string,
  action: ReportedRecipient['action'],
): ReportedRecipient => {
  const reply = findReply(text) ?? findReply(whole);
  const words = [reply, text, whole].find((each) => hasWords(each ?? '')) ?? '';
  const original = GENERATED_FROM.exec(text)?.[1];
  const addresses = [address, original ? reportedAddress(original) : ''].filter((each) => each !== '');
  return { addresses: [...new Set(addresses)], action, ...codesIn(reply ?? ''), diagnostic: oneLine(words) };
};

/**
 * Parses a free-text bounce.
 * @param isKnown whether the mail is known to be a bounce
 * @returns empty where it is none; one entry without an address where it names no recipient
 */
export const readBounceHeuristics = (mail: BounceMail, isKnown: boolean): ReportedRecipient[] => {
  const text = mail.text.slice(0, MAX_TEXT_CHARS).replace(/\r\n?/g, '\n');
  const returned = RETURNED.exec(text);
  const explanation = returned && returned.index > 0 ? text.slice(0, returned.index) : text;
  if (!isKnown && !isBounce(mail, explanation)) return [];
  // Bounces that put the fields of RFC 3464 into their text.
  const reported = /^(?:final|original)-recipient[ \t]*:/im.test(text) ? readDeliveryStatus(text) : [];
  if (reported.length > 0 && !isKnown) return reported;
  const action = DELAYED.test(`${mail.subject}\n${explanation}`) ? 'delayed' : 'failed';
  const { blocks } = splitBlocks(explanation.split('\n'));
  const named = readFailedRecipients(mail);
  const lone = new Set(explanation.match(ADDRESS)?.map(reportedAddress));
  const found = blocks.length === 0 && lone.size === 1 ? [...lone] : blocks.map(({ address }) => address);
  const failedAddresses = named.length > 0 ? named : found;
  if (failedAddresses.length === 0) return [toReported('', explanation, explanation, action)];
  return [...new Set(failedAddresses)].map((address) => {
    const block = blocks.find((known) => known.address === address);
    return toReported(address, block?.lines.join('\n') ?? '', explanation, action);
  });
};

/**
 * The entry point of a worker thread: one function for each kind of task. What one kind alone needs is loaded with the first
 * task of that kind: a thread that composes never loads what verifies, and starts in half the time.
 */

import { threadId } from 'node:worker_threads';
import { workerData } from 'piscina';
import { systemClock } from '../kernel/clock.ts';
import type { Draft } from '../mail/compose/compose-message.ts';
import { withAsciiHeader } from '../mail/header/ascii-header.ts';
import { readMessage } from '../mail/header/message-header.ts';
import { mailDate, withoutFields } from '../mail/header/trace-fields.ts';
import type { ReviewedLinks } from '../mail/html/review-links.ts';
import { convert8bitTo7bit } from '../mail/mime/convert-8bit.ts';
import { mayShowMore } from '../mail/mime/defects.ts';
import type { ParsedMail } from '../mail/mime/parse-message.ts';
import { findLinks } from '../mail/text/action-links.ts';
import { differingHtmlText } from '../mail/text/differing-html.ts';
import { findCodes } from '../mail/text/one-time-codes.ts';
import { replyText } from '../mail/text/reply-text.ts';
import { isSameText } from '../mail/text/same-text.ts';
import { toSnippet } from '../mail/text/snippet.ts';
import { createResolver, type RecordType } from '../net/dns/resolver.ts';
import { compress, decompress } from './compression.ts';
import { findLeaks, htmlPieces, type LeakPiece } from './find-leak.ts';
import { toAnswer, type WorkerAnswer } from './intake-refusal.ts';
import { MAX_TEXT_CHARS } from './parsed-message.ts';
import { beginTask } from './task-watch.ts';
import type {
  AttachmentBytes,
  AttachmentTask,
  Composed,
  ComposeTask,
  Forwarded,
  ForwardTask,
  FrameTask,
  LinksTask,
  MailFrame,
  PreparedRaw,
  PrepareRawTask,
  ReadMail,
  ReadTask,
  Signed,
  SignTask,
  Task,
} from './tasks.ts';
import { type Beats, startBeating } from './thread-beats.ts';
import type { VerifyMessage } from './verify-message.ts';
import type { WorkerSettings } from './worker-pool.ts';
import type { WatchedTask } from './worker-threads.ts';

const { beats, ...settings } = workerData as WorkerSettings & { beats: Beats };
startBeating(beats, threadId);
const resolver = createResolver({
  servers: settings.resolvers,
  timeoutMs: 5_000,
  cache: { maxEntries: 10_000, positiveMs: 60_000, negativeMs: 30_000 },
  clock: systemClock,
});

const parsing = () => import('../mail/mime/parse-message.ts');
const reviewing = () => import('../mail/html/review-html.ts');
const rendering = () => import('../mail/text/rendered-words.ts');
const contacts = () => import('./contact-tasks.ts');
const documents = () => import('./document-tasks.ts');
const importing = () => import('./import-message.ts');

let verifying: Promise<VerifyMessage> | null = null;
const loadVerify = async (): Promise<VerifyMessage> => {
  const { createVerifyMessage } = await import('./verify-message.ts');
  return createVerifyMessage((name, type) => resolver.resolve(name, type as RecordType));
};
const verify: VerifyMessage = async (task) => {
  verifying ??= loadVerify();
  return (await verifying)(task);
};

const readHeader = (raw: Buffer): ReadMail => {
  const { headers, date } = readMessage(raw).head;
  return { text: '', html: null, replyText: '', headers, codes: [], links: [], date };
};

const read = async ({ mime, headerOnly }: ReadTask): Promise<ReadMail> => {
  const raw = decompress(mime);
  if (headerOnly) return readHeader(raw);
  const mail = await (await parsing()).parseMail(raw);
  const text = mail.text.slice(0, MAX_TEXT_CHARS);
  return {
    text,
    html: mail.html === null ? null : (await import('../mail/html/sanitize-html.ts')).sanitizeMailHtml(mail.html),
    replyText: replyText(text),
    headers: mail.headers,
    codes: findCodes([text, mail.otherText], mail.subject),
    links: findLinks([text, mail.otherText], mail.anchors),
    date: mail.date,
  };
};

const frame = async ({ mime, keepsRemote }: FrameTask): Promise<MailFrame> => {
  const { html } = await (await parsing()).parseMail(decompress(mime));
  if (html === null) return { html, remoteImages: 0 };
  return (await import('../mail/html/sanitize-html.ts')).sanitizeForFrame(html, keepsRemote);
};

const links = async ({ mime }: LinksTask): Promise<ReviewedLinks & { hasHtml: boolean }> => {
  const { html } = await (await parsing()).parseMail(decompress(mime));
  return { hasHtml: html !== null, ...(await import('../mail/html/review-links.ts')).reviewLinks(html ?? '') };
};

const toAttachments = (mail: ParsedMail): AttachmentBytes[] =>
  mail.attachments.map(({ filename, mediaType, contentId, content }) => ({
    filename,
    contentType: mediaType,
    contentId,
    content,
  }));

const attachment = async ({ mime, filename }: AttachmentTask): Promise<AttachmentBytes | null> => {
  const mail = await (await parsing()).parseMail(decompress(mime));
  return toAttachments(mail).find((candidate) => candidate.filename === filename) ?? null;
};

const forward = async ({ mime, original, note }: ForwardTask): Promise<Forwarded> => {
  const mail = await (await parsing()).parseMail(decompress(mime));
  const { forwardInline } = await import('../mail/compose/forward-inline.ts');
  const text = mail.text.slice(0, MAX_TEXT_CHARS);
  const date = mail.date ?? original.date;
  return { ...forwardInline({ ...original, note, date, text, html: mail.html }), attachments: toAttachments(mail) };
};

const withPixel = (html: string, url: string): string => `${html}\n<img src="${url}" width="1" height="1" alt="">`;

function* attachmentPieces(attachments: readonly { filename: string; content: Uint8Array }[]): Iterable<LeakPiece> {
  for (const { filename, content } of attachments) {
    yield { where: `name of attachment ${filename}`, content: filename };
    yield { where: `attachment ${filename}`, content };
  }
}

/** @param isOwnHtml whether the sender gave the HTML; else it is the text, rendered */
function* draftPieces(
  { subject, body, from, to, cc, replyTo = [], attachments }: Draft,
  html: string,
  isOwnHtml: boolean,
): Iterable<LeakPiece> {
  yield { where: 'subject', content: subject };
  yield { where: 'text', content: body };
  yield* htmlPieces(html, isOwnHtml ? 'html' : 'text');
  const written = [from, ...to, ...cc, ...replyTo].flatMap(({ name, address }) => [name ?? '', address]);
  yield { where: 'header', content: written.join('\0') };
  yield* attachmentPieces(attachments);
}

const summarize = async (raw: Buffer): Promise<Composed['attachments']> => {
  const { parseMail, summarizeAttachments } = await parsing();
  return summarizeAttachments((await parseMail(raw)).attachments);
};

const composeMail = async ({ draft, pixelUrl, leakIndex }: ComposeTask): Promise<Composed> => {
  const { compose, renderMarkdown } = await import('../mail/compose/compose-message.ts');
  const html = draft.html ?? renderMarkdown(draft.body);
  const dropsWords = draft.html === undefined && !(await rendering()).hasEveryWord(draft.body, html);
  const isReviewed = draft.html !== undefined || dropsWords;
  const reviewed = isReviewed ? (await reviewing()).reviewHtml(html) : null;
  const raw = convert8bitTo7bit(
    await compose({ ...draft, html: pixelUrl === null ? html : withPixel(html, pixelUrl) }),
  );
  const attachments = draft.attachments.length === 0 ? [] : await summarize(raw);
  return {
    mime: compress(raw),
    size: raw.length,
    subject: draft.subject,
    snippet: toSnippet(draft.body),
    text: draft.body,
    // By the same parser that later serves them; a reviewer sees no file that it does not find.
    isWhole: (reviewed?.isWhole ?? true) && attachments.length === draft.attachments.length,
    attachments,
    // An HTML part that was rendered from the text has no text of its own; it may lack some.
    htmlText: dropsWords && reviewed ? reviewed.text : differingHtmlText(draft.body, reviewed),
    secretsFound: await findLeaks(leakIndex, draftPieces(draft, html, draft.html !== undefined)),
  };
};

/**
 * Header fields removed from submitted mail: Bcc and Resent-Bcc (RFC 5322 sections 3.6.3 and 3.6.6), the envelope's
 * Return-Path, and authentication results, which only the verifying host may add (RFC 8601 section 5).
 */
const NOT_SUBMITTED = ['bcc', 'resent-bcc', 'return-path', 'authentication-results'];

function* mailPieces(sent: ParsedMail, bytes: Uint8Array): Iterable<LeakPiece> {
  const isSubject = ({ name }: { name: string }) => name.toLowerCase() === 'subject';
  const { subject = [], header = [] } = Object.groupBy(sent.headers, (field) =>
    isSubject(field) ? 'subject' : 'header',
  );
  yield { where: 'subject', content: subject.map(({ value }) => value).join('\0') };
  yield { where: 'header', content: header.map(({ value }) => value).join('\0') };
  yield { where: 'text', content: sent.text };
  yield { where: 'text', content: sent.otherText };
  if (sent.html !== null) yield* htmlPieces(sent.html, 'html');
  yield* attachmentPieces(sent.attachments);
  // And what no program shows.
  yield { where: 'source', content: bytes, isWhole: true };
}

/** Submission adds Date and Message-ID where they are missing (RFC 6409 section 8). */
const prepareRaw = async ({ raw, messageId, date, leakIndex }: PrepareRawTask): Promise<PreparedRaw> => {
  const kept = withoutFields(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), NOT_SUBMITTED);
  const bytes = convert8bitTo7bit(kept);
  const { parseMail, summarizeAttachments } = await parsing();
  const sent = await parseMail(bytes);
  const missing = [
    ...(sent.date === null ? [`Date: ${mailDate(date)}\r\n`] : []),
    ...(sent.messageId === null ? [`Message-ID: ${messageId}\r\n`] : []),
  ];
  const whole = Buffer.concat([Buffer.from(missing.join('')), bytes]);
  const reviewed = sent.html === null ? null : (await reviewing()).reviewHtml(sent.html);
  // Where the text part is a stub, the message is read by its HTML; a reviewer is shown the text part unchanged.
  const isStub = sent.otherText.trim() !== '' && reviewed !== null && isSameText(sent.text, reviewed.text);
  const wholeText = isStub ? sent.otherText : sent.text;
  const text = wholeText.slice(0, MAX_TEXT_CHARS);
  return {
    mime: compress(whole),
    size: whole.length,
    subject: sent.subject,
    snippet: toSnippet(text),
    text,
    htmlText: differingHtmlText(text, reviewed),
    isWhole: text === wholeText && (reviewed?.isWhole ?? true) && !mayShowMore(sent.defects),
    attachments: summarizeAttachments(sent.attachments),
    messageId: sent.messageId ?? messageId,
    inReplyTo: sent.inReplyTo,
    references: sent.references,
    from: sent.from,
    to: sent.to,
    cc: sent.cc,
    replyTo: sent.replyTo,
    automatic: sent.automatic,
    secretsFound: await findLeaks(leakIndex, mailPieces(sent, bytes)),
  };
};

const signMail = async ({ mime, keys, now }: SignTask): Promise<Signed> => {
  const { sign } = await import('../mail/auth/dkim-sign.ts');
  const raw = decompress(mime);
  const ascii = withAsciiHeader(raw);
  return { raw: await sign(raw, keys, now), asciiRaw: ascii === raw ? null : await sign(ascii, keys, now) };
};

const perform = async (task: Task): Promise<unknown> => {
  switch (task.kind) {
    case 'verify':
    case 'verify-header':
      return verify(task);
    case 'import':
      return (await importing()).readImported(task);
    case 'read':
      return read(task);
    case 'frame':
      return frame(task);
    case 'links':
      return links(task);
    case 'attachment':
      return attachment(task);
    case 'forward':
      return forward(task);
    case 'raw':
      return decompress(task.mime);
    case 'compose':
      return composeMail(task);
    case 'prepare-raw':
      return prepareRaw(task);
    case 'sign':
      return signMail(task);
    case 'read-csv':
      return (await contacts()).performCsvTask(task);
    case 'read-vcards':
      return (await contacts()).performVCardTask(task);
    case 'read-document':
    case 'read-text':
    case 'read-sitemap':
    case 'read-robots':
      return (await documents()).performDocumentTask(task);
  }
};

export default async ({ task, watch }: WatchedTask): Promise<WorkerAnswer> =>
  beginTask(watch, threadId, Date.now()) ? toAnswer(perform(task)) : { kind: 'done', result: null };

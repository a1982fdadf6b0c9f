/**
 * The entry point of a worker thread: one function for each kind of task. A module that one kind needs is loaded with
 * its first task, so a thread that only composes starts in half the time.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';
import { steadyClock, systemClock } from '../kernel/clock.ts';
import { withOwnReference } from '../mail/compose/own-reference.ts';
import { withAsciiHeader } from '../mail/header/ascii-field.ts';
import { readMessage } from '../mail/header/message-header.ts';
import { findLinks } from '../mail/text/mail-links.ts';
import { findCodes } from '../mail/text/one-time-codes.ts';
import { readReply, splitReply } from '../mail/text/reply-text.ts';
import { createResolver, type RecordType } from '../net/dns/resolver.ts';
import { decompress } from './compression.ts';
import { type Heartbeats, startHeartbeat } from './heartbeats.ts';
import { toAnswer, type WorkerAnswer } from './intake-refusal.ts';
import { MAX_TEXT_CHARS } from './limits.ts';
import type { Performing } from './performing.ts';
import type { ReadMail, Task, Work } from './tasks.ts';
import type { VerifyMessage } from './verify-message.ts';
import type { WorkerSettings } from './worker-pool.ts';

const { heartbeats, ...settings } = workerData as WorkerSettings & { heartbeats: Heartbeats };
startHeartbeat(heartbeats, threadId);
const resolver = createResolver({
  servers: settings.resolvers,
  timeoutMs: 5_000,
  cache: { maxEntries: 10_000, positiveMs: 60_000, negativeMs: 30_000 },
  clock: systemClock,
});

/** Loads a module once: a second `import()` of it costs a tenth of a millisecond. */
const once = <M>(load: () => Promise<M>): (() => Promise<M>) => {
  let loading: Promise<M> | null = null;
  return () => {
    loading ??= load();
    return loading;
  };
};

const parsing = once(() => import('../mail/mime/parse-message.ts'));
const contacts = once(() => import('./contact-tasks.ts'));
const documents = once(() => import('./document-tasks.ts'));
const importing = once(() => import('./import-message.ts'));
const sanitizing = once(() => import('../mail/html/sanitize-html.ts'));
const reviewing = once(() => import('../mail/html/review-links.ts'));
const forwarding = once(() => import('../mail/compose/forward-inline.ts'));
const signing = once(() => import('../mail/auth/dkim-sign.ts'));
const composing = once(() => import('./outgoing/compose-mail.ts'));
const preparing = once(() => import('./outgoing/prepare-raw.ts'));
const attachmentTexts = once(() => import('./reading/attachment-text.ts'));
const previewing = once(() => import('./reading/attachment-preview.ts'));
const editing = once(() => import('./outgoing/edit-held.ts'));
const verifying = once(async (): Promise<VerifyMessage> => {
  const { createVerifyMessage } = await import('./verify-message.ts');
  return createVerifyMessage((name, type) => resolver.resolve(name, type as RecordType));
});

const parse = async (mime: Uint8Array) => (await parsing()).parseMail(decompress(mime));

const readHeader = (raw: Buffer): ReadMail => {
  const { headers, date } = readMessage(raw).head;
  return { text: '', html: null, replyText: '', answersOneByOne: false, headers, codes: [], links: [], date };
};

const work: Performing<Work> = {
  verify: async (mail) => (await verifying())(mail),
  import: async (mail) => (await importing()).readImported(mail),
  read: async ({ mime, headerOnly, numbersLinks = false }) => {
    const raw = decompress(mime);
    if (headerOnly) return readHeader(raw);
    const { parseMail, PARSE_LIMITS } = await parsing();
    const mail = await parseMail(raw, { ...PARSE_LIMITS, wholeAddresses: numbersLinks });
    const { text: numbered, links } = findLinks(mail.text, mail.otherText, mail.anchors);
    const text = (numbersLinks ? numbered : mail.text).slice(0, MAX_TEXT_CHARS);
    return {
      text,
      html: mail.html === null ? null : (await sanitizing()).sanitizeMailHtml(mail.html),
      ...readReply(text),
      headers: mail.headers,
      codes: findCodes([text, mail.otherText], mail.subject),
      links,
      date: mail.date,
    };
  },
  'split-reply': ({ text }) => splitReply(text),
  frame: async ({ mime, keepsRemote, folds }) => {
    const { html } = await parse(mime);
    if (html === null) return { html, remoteImages: 0 };
    return (await sanitizing()).sanitizeForFrame(html, keepsRemote, folds);
  },
  links: async ({ mime }) => {
    const { html } = await parse(mime);
    return { hasHtml: html !== null, ...(await reviewing()).reviewLinks(html ?? '') };
  },
  attachments: async ({ mime, filenames }) =>
    (await parse(mime)).attachments
      .filter(({ filename }) => filenames === null || filenames.includes(filename))
      .map(({ filename, mediaType, contentId, content }) => ({ filename, contentType: mediaType, contentId, content })),
  forward: async ({ mime, original, note }) => {
    const mail = await parse(mime);
    const { forwardInline } = await forwarding();
    const text = mail.text.slice(0, MAX_TEXT_CHARS);
    const date = mail.date ?? original.date;
    return forwardInline({ ...original, note, date, text, html: mail.html });
  },
  raw: ({ mime }) => decompress(mime),
  compose: async (mail) => (await composing()).composeMail(mail),
  'prepare-raw': async (mail) => (await preparing()).prepareRaw(mail),
  'edit-held': async (mail) => (await editing()).editHeld(mail),
  sign: async ({ mime, keys, now, isRelayed }) => {
    const { sign } = await signing();
    const signed = (message: Buffer) => sign(message, keys, now, isRelayed);
    const composed = decompress(mime);
    const raw = isRelayed ? withOwnReference(composed) : composed;
    const ascii = withAsciiHeader(raw);
    return { raw: await signed(raw), asciiRaw: ascii === raw ? null : await signed(ascii) };
  },
  'read-csv': async (file) => (await contacts()).contactWork['read-csv'](file),
  'read-vcards': async (file) => (await contacts()).contactWork['read-vcards'](file),
  'read-document': async (page) => (await documents()).documentWork['read-document'](page),
  'read-text': async (page) => (await documents()).documentWork['read-text'](page),
  'read-sitemap': async (file) => (await documents()).documentWork['read-sitemap'](file),
  'read-robots': async (file) => (await documents()).documentWork['read-robots'](file),
  'attachment-text': async (file) => (await attachmentTexts()).readAttachmentText(file),
  'attachment-preview': async (file) => (await previewing()).previewAttachment(file),
};

const perform = async (task: Task): Promise<unknown> => (work[task.kind] as (of: Task) => unknown)(task);

/**
 * Node hands on up to 1 000 messages in one turn of the loop, as long as more come. A thread at its limit would then run
 * no timer, receive no DNS answer and count as stalled.
 */
const TURN_EVERY_MS = 50;
let turnedAt = 0;

export default async (task: Task): Promise<WorkerAnswer> => {
  if (steadyClock.now() - turnedAt > TURN_EVERY_MS) {
    await yieldToLoop();
    turnedAt = steadyClock.now();
  }
  return toAnswer(perform(task));
};

/** The code of a worker thread: one function a task. */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { workerData } from 'piscina';
import { systemClock } from '../kernel/clock.ts';
import { type Authentication, authenticate, type DnsResolve } from '../mail/authenticate.ts';
import { findCodes, findLinks } from '../mail/codes.ts';
import { compose, renderMarkdown } from '../mail/compose.ts';
import { sanitizeMailHtml } from '../mail/html.ts';
import { parseMail } from '../mail/parse.ts';
import { baseSubject, isReplySubject } from '../mail/reply.ts';
import { replyText } from '../mail/reply-text.ts';
import { sign } from '../mail/sign.ts';
import { snippetOf } from '../mail/snippet.ts';
import { mailDate, receivedHeader, returnPathHeader, stripForgedResults, withoutFields } from '../mail/trace.ts';
import { createResolver, type RecordType } from '../net/resolver.ts';
import type { WorkerSettings } from './pool.ts';
import type {
  Adopted,
  AdoptTask,
  AttachmentBytes,
  AttachmentTask,
  Composed,
  ComposeTask,
  Envelope,
  Examined,
  ExamineTask,
  LocalEnvelope,
  ReadMail,
  ReadTask,
  SignTask,
  Task,
} from './tasks.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** What is kept of a text for reading and search. A longer one is in the raw message all the same. */
const MAX_TEXT_CHARS = 1_000_000;

const settings = workerData as WorkerSettings;
const resolver = createResolver({
  servers: settings.resolvers,
  timeoutMs: 5_000,
  cache: { maxEntries: 10_000, positiveMs: 60_000, negativeMs: 30_000 },
  clock: systemClock,
});

const resolve: DnsResolve = (name, type) => resolver.resolve(name, type as RecordType);

const trustLocal = ({ fromDomain }: LocalEnvelope, hostname: string): Authentication => ({
  spf: 'pass',
  dkim: 'pass',
  dmarc: 'pass',
  arc: 'none',
  fromDomain,
  dmarcPolicy: null,
  aligned: true,
  header: `Authentication-Results: ${hostname}; auth=pass header.from=${fromDomain}\r\n`,
});

const traceOf = (envelope: Envelope | LocalEnvelope, hostname: string, authentication: Authentication): Buffer => {
  const received =
    'ip' in envelope
      ? receivedHeader({
          helo: envelope.helo,
          ip: envelope.ip,
          reverseName: envelope.reverseName,
          by: hostname,
          protocol: envelope.protocol,
          id: envelope.sessionId,
          recipient: envelope.soleRecipient,
          at: envelope.at,
        })
      : '';
  return Buffer.from(`${returnPathHeader(envelope.mailFrom)}${authentication.header}${received}`);
};

const examine = async ({ raw, hostname, envelope }: ExamineTask): Promise<Examined> => {
  const bytes = stripForgedResults(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), hostname);
  const [mail, authentication] = await Promise.all([
    parseMail(bytes),
    'local' in envelope
      ? trustLocal(envelope.local, hostname)
      : authenticate(bytes, { ...envelope, authservId: hostname }, resolve),
  ]);
  const trace = traceOf('local' in envelope ? envelope.local : envelope, hostname, authentication);
  const whole = Buffer.concat([trace, bytes]);
  const text = mail.text.slice(0, MAX_TEXT_CHARS);
  return {
    from: mail.from,
    fromFields: mail.fromFields,
    to: mail.to,
    cc: mail.cc,
    replyTo: mail.replyTo,
    subject: mail.subject,
    baseSubject: baseSubject(mail.subject),
    isReplySubject: isReplySubject(mail.subject),
    messageId: mail.messageId,
    inReplyTo: mail.inReplyTo,
    references: mail.references,
    automatic: mail.automatic,
    text,
    snippet: snippetOf(text),
    attachments: mail.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
    receivedCount: mail.receivedCount,
    authentication,
    mime: await compress(whole),
    size: whole.length,
  };
};

const read = async ({ mime }: ReadTask): Promise<ReadMail> => {
  const mail = await parseMail(await decompress(mime));
  const text = mail.text.slice(0, MAX_TEXT_CHARS);
  return {
    text,
    html: mail.html === null ? null : sanitizeMailHtml(mail.html),
    replyText: replyText(text),
    headers: mail.headers,
    codes: findCodes(text, mail.subject),
    links: findLinks(text, mail.html),
  };
};

const attachments = async (mime: Uint8Array): Promise<AttachmentBytes[]> => {
  const mail = await parseMail(await decompress(mime));
  return mail.attachments.map(({ filename, contentType, content }) => ({ filename, contentType, content }));
};

const attachment = async ({ mime, filename }: AttachmentTask): Promise<AttachmentBytes | null> =>
  (await attachments(mime)).find((candidate) => candidate.filename === filename) ?? null;

const withPixel = (html: string, url: string): string => `${html}\n<img src="${url}" width="1" height="1" alt="">`;

const composeMail = async ({ draft, pixelUrl }: ComposeTask): Promise<Composed> => {
  const html = draft.html ?? renderMarkdown(draft.body);
  const raw = await compose({ ...draft, html: pixelUrl === null ? html : withPixel(html, pixelUrl) });
  return {
    mime: await compress(raw),
    size: raw.length,
    subject: draft.subject,
    snippet: snippetOf(draft.body),
    text: draft.body,
    attachments: draft.attachments.map(({ filename, contentType, content }) => ({
      filename,
      contentType,
      size: content.length,
    })),
  };
};

/** A sender's host adds Date and Message-ID where they are missing, and nobody shall see a Bcc (RFC 6409 section 8). */
const adopt = async ({ raw, messageId, date }: AdoptTask): Promise<Adopted> => {
  const bytes = withoutFields(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), ['bcc', 'return-path']);
  const sent = await parseMail(bytes);
  const missing = [
    ...(sent.date === null ? [`Date: ${mailDate(date)}\r\n`] : []),
    ...(sent.messageId === null ? [`Message-ID: ${messageId}\r\n`] : []),
  ];
  const whole = Buffer.concat([Buffer.from(missing.join('')), bytes]);
  const text = sent.text.slice(0, MAX_TEXT_CHARS);
  return {
    mime: await compress(whole),
    size: whole.length,
    subject: sent.subject,
    snippet: snippetOf(text),
    text,
    attachments: sent.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
    messageId: sent.messageId ?? messageId,
    inReplyTo: sent.inReplyTo,
    references: sent.references,
    from: sent.from,
    to: sent.to,
    cc: sent.cc,
    automatic: sent.automatic,
  };
};

const signMail = async ({ mime, keys, now }: SignTask): Promise<Uint8Array> => sign(await decompress(mime), keys, now);

export default async (task: Task): Promise<unknown> => {
  switch (task.kind) {
    case 'examine':
      return examine(task);
    case 'read':
      return read(task);
    case 'attachment':
      return attachment(task);
    case 'attachments':
      return attachments(task.mime);
    case 'raw':
      return decompress(task.mime);
    case 'compose':
      return composeMail(task);
    case 'adopt':
      return adopt(task);
    case 'sign':
      return signMail(task);
  }
};

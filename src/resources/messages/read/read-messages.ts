/** Reads, flags and deletes the mail of one mailbox. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { findContactsOf, otherSide } from '../../../access/contacts-of.ts';
import { readMessagePage } from '../../../access/message-page.ts';
import { type QuotaSubject, toQuotaSubject } from '../../../budget/quota-subject.ts';
import { formatNamed } from '../../../kernel/address.ts';
import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { MailboxId, MessageId } from '../../../kernel/ids.ts';
import { bareMediaType } from '../../../kernel/media-type.ts';
import { isSender } from '../../../kernel/text/sender-match.ts';
import { organizationalDomain } from '../../../mail/auth/organizational-domain.ts';
import { HEADER_ONLY } from '../../../mail/mime/defects.ts';
import { findContactOfAddress } from '../../../store/contacts/correspondent-contact.ts';
import { findMessageBody } from '../../../store/mail/message-texts.ts';
import {
  addMessageDefect,
  type ListedMessage,
  listMessageAuthors,
  listMessages,
  type MessageFilter,
  type StoredMessage,
  setMessageFlags,
} from '../../../store/mail/messages.ts';
import { deleteFromThreads } from '../../../store/mail/threads.ts';
import { listDeliveriesOf } from '../../../store/sending/deliveries.ts';
import type { Db } from '../../../store/store.ts';
import { readOrNull } from '../../../workers/reading/read-or-null.ts';
import type { ReadMail } from '../../../workers/tasks.ts';
import type { Needs } from '../../needs.ts';
import { createAttachments } from '../attachments.ts';
import { findMime, requireMessage, requireReadable } from '../lookup.ts';
import { pageOfPart, viewDelivery, viewMessage, viewOpens } from '../view.ts';
import { readMany, updateMany } from './batches.ts';
import type { ReadMessage, readOperations } from './contract.ts';

export type ReadingNeeds = Needs<'store' | 'workers' | 'clock'>;

export interface Reading {
  handlers: Handlers<typeof readOperations>;
  /** Also reads for a person; that sets the read mark only on request. */
  readMessage: ReadMessage;
  /** The content of a given message. */
  readContent(caller: AgentCaller, message: StoredMessage): Promise<ReadMail>;
  markRead(caller: AgentCaller, id: MessageId): Promise<void>;
}

/** Authors of one query when senders are compared; the event loop runs between two queries. */
const BATCH = 250;

/** Reads on, newest first, until enough messages of that sender are found. */
const listOfSender = async (
  db: Db,
  mailboxId: MailboxId,
  wanted: string,
  filter: MessageFilter,
): Promise<ListedMessage[]> => {
  const found: ListedMessage[] = [];
  for (let { before } = filter; ; ) {
    const batch = await listMessageAuthors(db, mailboxId, { ...filter, before, limit: BATCH });
    for (const { from, createdAt: at } of batch) {
      if (!isSender(formatNamed(from), wanted)) continue;
      // None where it left the list meanwhile.
      found.push(...(await listMessages(db, mailboxId, { ...filter, since: at, before: at + 1, limit: 1 })));
      if (found.length >= filter.limit) return found;
    }
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return found;
    before = last.createdAt;
    await yieldToLoop();
  }
};

/** @param reader the audience: an agent's text has numbers in place of long addresses */
export const createReading = (
  { store, workers, clock }: ReadingNeeds,
  reader: 'agent' | 'person' = 'agent',
): Reading => {
  const attachments = createAttachments({ store, workers, clock });
  const findReadable = (caller: AgentCaller, id: MessageId) => requireReadable(store.read, caller, id, clock.now());

  /** The text is unpacked with the mail's bytes; without them only the snippet is left. */
  const indexedText = async ({ seq, snippet }: StoredMessage): Promise<ReadMail> => {
    const text = (await findMessageBody(store.read, seq)) || snippet;
    return { text, html: null, replyText: text, answersOneByOne: false, headers: [], codes: [], links: [], date: null };
  };

  /** The contact of the author, or of the first recipient. */
  const findContact = async ({ workspaceId, scopes }: AgentCaller, message: StoredMessage) => {
    const other = otherSide(message);
    if (!other || !scopes.has('contacts')) return null;
    return findContactOfAddress(store.read, workspaceId, other, organizationalDomain);
  };

  /** Reads the header from the bytes and the text from the index, for mail with a body that crashed a worker. */
  const readAround = async (message: StoredMessage, mime: Uint8Array, by: QuotaSubject): Promise<ReadMail> => {
    const { headers } = await workers.run({ kind: 'read', mime, headerOnly: true }, by);
    return { ...(await indexedText(message)), headers };
  };

  /** Reads the stored bytes; the indexed text where they are gone. */
  const readMail = async (message: StoredMessage, by: QuotaSubject): Promise<ReadMail> => {
    const mime = await findMime(store.read, message);
    if (!mime) return indexedText(message);
    if (message.defects.includes(HEADER_ONLY)) return readAround(message, mime, by);
    const task = { kind: 'read', mime, headerOnly: false, numbersLinks: reader === 'agent' } as const;
    const read = await readOrNull(workers.run(task, by));
    if (read) return read;
    // Recorded, so that a mail that crashes its reader does so once only.
    await store.write((tx) => addMessageDefect(tx, message, HEADER_ONLY));
    return readAround(message, mime, by);
  };

  /** Read again in the transaction: of two concurrent reads, one changes the thread's count. */
  const markRead = (caller: AgentCaller, id: MessageId): Promise<void> =>
    store.write(async (tx) => setMessageFlags(tx, await requireMessage(tx.db, caller, id), { unread: false }));

  const readMessage: ReadMessage = async (caller, { id, part, max_chars, offset }, marksRead) => {
    const { reader, message: found } = await findReadable(caller, id);
    const mail = await readMail(found, toQuotaSubject(caller));
    if (found.unread && marksRead) await markRead(reader, id);
    const findDeliveries = () => (found.direction === 'out' ? listDeliveriesOf(store.read, found.id) : []);
    const known = await findDeliveries();
    // Its reading may have marked it.
    const current = await requireMessage(store.read, reader, id);
    // A delivery has ended meanwhile: a status and the deliveries that it stands for are told together.
    const deliveries = current.status === found.status ? known : await findDeliveries();
    return {
      ...viewMessage(marksRead ? { ...current, unread: false } : current),
      ...pageOfPart({ text: mail.text, html: mail.html, reply_text: mail.replyText }, part, offset, max_chars),
      headers: mail.headers,
      codes: mail.codes,
      links: mail.links,
      deliveries: deliveries.map(viewDelivery),
      opens: viewOpens(current),
      contact: await findContact(caller, current),
      via: current.via,
      sent_by: current.sentBy,
    };
  };

  const handlers: Handlers<typeof readOperations> = {
    list: async (caller, input) => {
      const filter = {
        unreadOnly: input.unread_only,
        includeArchived: input.include_archived,
        threadId: input.thread_id ?? null,
        direction: input.direction ?? null,
        since: input.since ?? null,
        until: input.until ?? null,
      };
      const mailboxId = mailboxOf(caller);
      const { from } = input;
      const { rows, next_cursor } = await readMessagePage(input, (before, limit) => {
        const page = { ...filter, before, limit };
        return from === undefined
          ? listMessages(store.read, mailboxId, page)
          : listOfSender(store.read, mailboxId, from, page);
      });
      const contactOf = await findContactsOf(store.read, caller, rows);
      return { messages: rows.map((row) => ({ ...viewMessage(row), ...contactOf(row) })), next_cursor };
    },

    get: (caller, input) => readMessage(caller, input, true),

    getMany: (caller, input) => readMany(readMessage, caller, input),
    updateMany: (caller, input) => updateMany(store, caller, input),

    raw: async (caller, { id }) => {
      const { message } = await findReadable(caller, id);
      const mime = requireFound(await findMime(store.read, message), 'raw_message_unavailable');
      const content = await workers.run({ kind: 'raw', mime }, toQuotaSubject(caller));
      return { contentType: 'message/rfc822', filename: `${id}.eml`, content };
    },

    remove: (caller, { id }, { record }) =>
      store.write(async (tx) => {
        const message = await requireMessage(tx.db, caller, id);
        const deliveries = await listDeliveriesOf(tx.db, id);
        // Deleting it would delete its queue rows, and accepted mail would not be sent.
        if (deliveries.some(({ nextAttemptAt }) => nextAttemptAt !== null)) throw new ApiError('message_in_transit');
        await deleteFromThreads(tx, [message]);
        const subject = otherSide(message) ?? id;
        return record(tx, { workspaceId: caller.workspaceId, subject, detail: { message_id: id } }, { deleted: true });
      }),

    archive: async (caller, { id, archived, unread }) => {
      // An empty body archives; a body with only `unread` does not.
      const isEmpty = archived === undefined && unread === undefined;
      const flags = { archived: isEmpty ? true : archived, unread };
      return store.write(async (tx) => {
        const message = await requireMessage(tx.db, caller, id);
        await setMessageFlags(tx, message, flags);
        return {
          id,
          archived: flags.archived ?? message.archived,
          unread: flags.unread ?? message.unread,
        };
      });
    },

    attachment: async (caller, { id, filename: wanted, as, max_chars: maxChars, offset }) => {
      const { message, filename } = await attachments.find(caller, id, wanted);
      const [read] = await attachments.read(caller, message, [filename]);
      const found = requireFound(read, 'attachment_bytes_missing');
      const { contentType, content } = found;
      if (as === 'base64') return { contentType, filename, content };
      const text = await attachments.readText(caller, found, { offset, maxChars });
      const inWords = { filename, content_type: bareMediaType(contentType), size: content.length, ...text };
      return { contentType, filename, content, inWords };
    },
  };
  return { handlers, readMessage, markRead, readContent: (caller, found) => readMail(found, toQuotaSubject(caller)) };
};

import * as correspondence from '../../../src/store/mail/correspondence.ts';
import * as correspondents from '../../../src/store/mail/correspondents.ts';
import * as filing from '../../../src/store/mail/file-message.ts';
import * as keptBytes from '../../../src/store/mail/kept-bytes.ts';
import * as mailboxCounts from '../../../src/store/mail/mailbox-counts.ts';
import * as copies from '../../../src/store/mail/message-copies.ts';
import * as summaries from '../../../src/store/mail/message-summaries.ts';
import * as texts from '../../../src/store/mail/message-texts.ts';
import * as messages from '../../../src/store/mail/messages.ts';
import * as rawMessages from '../../../src/store/mail/raw-messages.ts';
import * as threadMessages from '../../../src/store/mail/thread-messages.ts';
import * as threads from '../../../src/store/mail/threads.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const messageOf = async ({ db, small, message }: CallContext): Promise<messages.StoredMessage> => {
  const found = await messages.findMessage(db, small.mailboxId, message.id);
  if (!found) throw new Error('The small store has no message.');
  return found;
};

const entry = { subject: 'S', snippet: '', participants: ['Carol <carol@remote.test>'], unread: true, at: 1 };
const text = { subject: 'S', sender: 'Carol', recipients: 'Ann', body: 'Words' };

export const correspondentCalls: CallsOf<typeof correspondents> = {
  insertCorrespondent: ({ tx, small, now }) => correspondents.insertCorrespondent(tx, small.mailboxId, REMOTE, now),
  isCorrespondent: ({ db, small }) => correspondents.isCorrespondent(db, small.mailboxId, REMOTE),
  insertHeardFrom: ({ tx, small }) => correspondents.insertHeardFrom(tx, small.mailboxId, REMOTE),
  hasHeardFrom: ({ db, small }) => correspondents.hasHeardFrom(db, small.mailboxId, REMOTE),
  hasUnknownAddress: ({ db, small }) => correspondents.hasUnknownAddress(db, small.mailboxId, [REMOTE]),
  insertUnauthenticatedSender: ({ tx, small }) =>
    correspondents.insertUnauthenticatedSender(tx, small.mailboxId, REMOTE),
  hasUnauthenticatedSender: ({ db, small }) =>
    correspondents.hasUnauthenticatedSender(db, small.mailboxId, [REMOTE, REMOTE]),
  clearUnauthenticatedSender: ({ tx, small }) => correspondents.clearUnauthenticatedSender(tx, small.mailboxId, REMOTE),
};

export const correspondenceCalls: CallsOf<typeof correspondence> = {
  listWrittenTo: ({ db, small }) => correspondence.listWrittenTo(db, small.workspaceId, [REMOTE, REMOTE], 20),
  listHeardOf: ({ db, small }) => correspondence.listHeardOf(db, small.workspaceId, [REMOTE, REMOTE], 20),
};

export const summaryCalls: CallsOf<typeof summaries> = {
  findOutgoingMessage: ({ db, small, message }) => summaries.findOutgoingMessage(db, small.mailboxId, message.id),
  findMessageHead: ({ db, message }) => summaries.findMessageHead(db, message.id),
  listHeadsAfter: async ({ db, small, message }) => [
    await summaries.listHeadsAfter(db, small.mailboxId, null, 0, 20),
    await summaries.listHeadsAfter(db, small.mailboxId, message.threadId, 0, 20),
  ],
};

export const textCalls: CallsOf<typeof texts> = {
  insertMessageText: async (context) => {
    const { seq, mailboxId } = await messageOf(context);
    await texts.deleteMessageText(context.tx, seq);
    await texts.insertMessageText(context.tx, seq, { ...text, mailboxId, attachments: '', packed: null });
  },
  deleteMessageText: async (context) => texts.deleteMessageText(context.tx, (await messageOf(context)).seq),
  findMessageBody: ({ db }) => texts.findMessageBody(db, 1),
  listTextsAfter: ({ db }) => texts.listTextsAfter(db, 0, 20),
};

const FILTER = { unreadOnly: false, includeArchived: false, threadId: null, before: null, limit: 20 };

export const messageCalls: CallsOf<typeof messages> = {
  readMessages: null,
  nextMessageTime: ({ tx, small, now }) => messages.nextMessageTime(tx, small.mailboxId, now),
  freeMessageTime: ({ tx, small, now }) => messages.freeMessageTime(tx, small.mailboxId, now),
  insertMessage: async (context) => {
    const { seq: _, opens: __, openToken: ___, ...known } = await messageOf(context);
    const added = { ...known, id: unknownId<'message'>(), createdAt: context.now + 1_000 };
    await messages.insertMessage(context.tx, added, { ...text, packed: null });
  },
  findMessage: ({ db, small, message }) => messages.findMessage(db, small.mailboxId, message.id),
  findMessageByRfcId: ({ db, small }) => messages.findMessageByRfcId(db, small.mailboxId, '<a@b>'),
  listMessages: async ({ db, small, message, now }) => {
    const list = (filter: Partial<messages.MessageFilter>) =>
      messages.listMessages(db, small.mailboxId, { ...FILTER, ...filter });
    await list({});
    await list({ unreadOnly: true, before: now });
    await list({ unreadOnly: true, includeArchived: true });
    await list({ includeArchived: true, since: 1, until: now });
    await list({ direction: 'out', since: 1 });
    await list({ threadId: message.threadId });
  },
  listMessageAuthors: ({ db, small }) => messages.listMessageAuthors(db, small.mailboxId, FILTER),
  listMessagesAfter: ({ db, small }) => messages.listMessagesAfter(db, small.mailboxId, 0, 20),
  setMessageFlags: async (context) =>
    messages.setMessageFlags(context.tx, await messageOf(context), { unread: false, archived: true }),
  setMessageStatus: ({ tx, message }) => messages.setMessageStatus(tx, message.id, 'sent'),
  addMessageDefect: async (context) => messages.addMessageDefect(context.tx, await messageOf(context), 'a defect'),
  countOpen: ({ tx, now }) => messages.countOpen(tx, 'token', now),
  deleteMessage: async (context) => messages.deleteMessage(context.tx, await messageOf(context)),
};

export const filingCalls: CallsOf<typeof filing> = {
  fileMessage: async (context) => {
    const {
      seq: _,
      threadId,
      createdAt,
      opens,
      openToken,
      status,
      unread,
      archived,
      ...known
    } = await messageOf(context);
    const thread = { known: threadId, orNew: unknownId<'thread'>() };
    const added = { ...known, id: unknownId<'message'>(), thread, baseSubject: 'S', body: 'Words' };
    await filing.fileMessage(context.tx, added, context.now + 2_000);
  },
};

export const copyCalls: CallsOf<typeof copies> = {
  listPossibleCopies: async ({ db, small }) => {
    const mail = { from: REMOTE, subject: 'S', at: 1 };
    await copies.listPossibleCopies(db, small.mailboxId, { ...mail, rfcMessageId: '<a@b>' }, 0);
    await copies.listPossibleCopies(db, small.mailboxId, { ...mail, rfcMessageId: null }, 0);
  },
};

export const keptBytesCalls: CallsOf<typeof keptBytes> = {
  toKeptBytes: null,
  findKeptBytes: ({ db, small }) => keptBytes.findKeptBytes(db, small.workspaceId, { mailBytes: 0, mailBytesDay: 0 }),
  sumMailBytes: ({ db, small, now }) =>
    keptBytes.sumMailBytes(db, small.mailboxId, { after: 0, before: now, limit: 10 }),
  setMailBytes: ({ tx, small }) => keptBytes.setMailBytes(tx, small.workspaceId, 1, 0),
  setFullTold: ({ tx, small, now }) => keptBytes.setFullTold(tx, small.workspaceId, now),
};

export const rawMessageCalls: CallsOf<typeof rawMessages> = {
  insertRawMessage: ({ tx }) => rawMessages.insertRawMessage(tx, { mime: Buffer.from('m'), size: 1 }),
  findRawMessage: ({ db }) => rawMessages.findRawMessage(db, 1),
  listRawMessages: ({ db }) => rawMessages.listRawMessages(db, 0, 10),
  findRawStart: ({ db }) => rawMessages.findRawStart(db, 1, 10),
  deleteRawMessageIfUnused: async ({ tx }) => {
    const unused = await rawMessages.insertRawMessage(tx, { mime: Buffer.from('m'), size: 1 });
    await rawMessages.deleteRawMessageIfUnused(tx, unused);
  },
};

export const threadMessageCalls: CallsOf<typeof threadMessages> = {
  listSentBy: ({ db }) => threadMessages.listSentBy(db, [unknownId()]),
  listThreadMessages: async ({ db, message, now }) => [
    await threadMessages.listThreadMessages(db, message.threadId, null, 20),
    await threadMessages.listThreadMessages(db, message.threadId, now, 20),
  ],
  listAlignedAuthors: ({ db, message }) => threadMessages.listAlignedAuthors(db, message.threadId),
  hasUnauthenticatedSinceLastSent: async ({ tx, message }) => {
    await tx.db.updateTable('messages').set({ doubtful: 1 }).where('seq', '=', 1).execute();
    await threadMessages.hasUnauthenticatedSinceLastSent(tx.db, message.threadId);
  },
  oldestOfRecentReplies: ({ db, message, now }) =>
    threadMessages.oldestOfRecentReplies(db, message.threadId, now - 1_000, 5),
};

export const threadCalls: CallsOf<typeof threads> = {
  joinOrBeginThread: async ({ tx, small, message }) => {
    const orNew = unknownId<'thread'>();
    await threads.joinOrBeginThread(tx, { known: message.threadId, orNew }, small.mailboxId, 'S', entry);
    await threads.joinOrBeginThread(tx, { known: null, orNew }, small.mailboxId, 'S', entry);
  },
  deleteFromThreads: async (context) => {
    const message = await messageOf(context);
    await threads.deleteFromThreads(context.tx, [{ ...message, seq: 0 }]);
    await threads.deleteFromThreads(context.tx, [message]);
  },
  findThread: ({ db, small, message }) => threads.findThread(db, small.mailboxId, message.threadId),
  listThreads: async ({ db, small, message, now }) => [
    await threads.listThreads(db, small.mailboxId, null, 20),
    await threads.listThreads(db, small.mailboxId, { at: now, id: message.threadId }, 20),
  ],
  listMarkedThreads: async ({ db, small, message, now }) => [
    await threads.listMarkedThreads(db, small.mailboxId, null, 20),
    await threads.listMarkedThreads(db, small.mailboxId, { at: now, id: message.threadId }, 20),
  ],
  findThreadBySubject: ({ db, small }) =>
    threads.findThreadBySubject(db, small.mailboxId, 'S', REMOTE, { since: 0, until: 1 }),
};

export const mailboxCountCalls: CallsOf<typeof mailboxCounts> = {
  countUnread: ({ db, small }) => mailboxCounts.countUnread(db, small.mailboxId, 10),
  countMailSince: ({ db, small }) => mailboxCounts.countMailSince(db, small.mailboxId, 'in', 0, 10),
  countMailWithin: ({ db, small, now }) =>
    mailboxCounts.countMailWithin(db, small.mailboxId, 'in', { since: 0, until: now }),
  listReplyDelays: ({ db, small, now }) =>
    mailboxCounts.listReplyDelays(db, small.mailboxId, { since: 0, until: now }, 20),
  countBouncedWithin: ({ db, small, now }) =>
    mailboxCounts.countBouncedWithin(db, small.mailboxId, { since: 0, until: now }),
  findLastKeyUse: ({ db }) => mailboxCounts.findLastKeyUse(db, unknownId()),
};

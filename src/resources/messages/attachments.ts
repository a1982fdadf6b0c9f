/** Attachments of stored mail: their bytes, for downloads and forwards, and their text. */

import { toQuotaSubject } from '../../budget/quota-subject.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { MessageId } from '../../kernel/ids.ts';
import { bareMediaType } from '../../kernel/media-type.ts';
import { pageOfText, type TextPage } from '../../kernel/text/text-page.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { readOrNull, readOrRefuse } from '../../workers/reading/read-or-null.ts';
import type { AttachmentBytes } from '../../workers/tasks.ts';
import type { Needs } from '../needs.ts';
import { findMime, requireReadable } from './lookup.ts';
import { attachmentId } from './view.ts';

export interface Attachments {
  /** The message and the attachment of that name or id. @throws ApiError message_not_found, attachment_not_found */
  find(caller: AgentCaller, id: MessageId, wanted: string): Promise<{ message: StoredMessage; filename: string }>;
  /**
   * @param filenames null: all that the message has
   * @throws ApiError attachment_bytes_missing where one of them is gone, message_unreadable
   */
  read(caller: AgentCaller, message: StoredMessage, filenames: readonly string[] | null): Promise<AttachmentBytes[]>;
  /** @throws ApiError attachment_not_text */
  readText(
    caller: AgentCaller,
    attachment: AttachmentBytes,
    page: { offset: number; maxChars: number | undefined },
  ): Promise<TextPage & { truncated: boolean }>;
}

export const createAttachments = ({ store, workers, clock }: Needs<'store' | 'workers' | 'clock'>): Attachments => ({
  find: async (caller, id, wanted) => {
    const { message } = await requireReadable(store.read, caller, id, clock.now());
    const names = message.attachments.map((each) => each.filename);
    // An id takes precedence: no file's name can shadow another file's id.
    const named = names.includes(wanted) ? wanted : undefined;
    const filename = names.find((_, index) => attachmentId(index) === wanted) ?? named;
    if (filename === undefined) throw new ApiError('attachment_not_found', { fields: { attachments: names } });
    return { message, filename };
  },

  read: async (caller, message, filenames) => {
    if (filenames === null && message.attachments.length === 0) return [];
    const mime = await findMime(store.read, message);
    if (!mime) throw new ApiError('attachment_bytes_missing');
    const task = { kind: 'attachments', mime, filenames } as const;
    const found = await readOrRefuse(workers.run(task, toQuotaSubject(caller)));
    if (filenames?.some((name) => !found.some(({ filename }) => filename === name))) {
      throw new ApiError('attachment_bytes_missing');
    }
    return found;
  },

  readText: async (caller, { filename, contentType, content: octets }, { offset, maxChars }) => {
    const task = { kind: 'attachment-text', octets, filename, contentType } as const;
    const read = await readOrNull(workers.run(task, toQuotaSubject(caller)));
    // A scan has pages without a word: an empty text would say that there is nothing on them.
    if (read === null || (octets.length > 0 && read.text.trim() === ''))
      throw new ApiError('attachment_not_text', { fields: { content_type: bareMediaType(contentType) } });
    return { ...pageOfText(read.text, offset, maxChars), truncated: read.isCut };
  },
});

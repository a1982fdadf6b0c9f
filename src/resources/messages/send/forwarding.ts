/** Builds the content of a forward: the original quoted under the note, or attached whole, with its attachments. */

import type { QuotaSubject } from '../../../budget/quota-subject.ts';
import type { DraftAttachment } from '../../../mail/compose/compose-message.ts';
import type { StoredMessage } from '../../../store/mail/messages.ts';
import type { WorkerPool } from '../../../workers/worker-pool.ts';

interface Content {
  body: string;
  html?: string;
  attachments: DraftAttachment[];
}

/** @param mime of the original */
type Forward = (
  workers: WorkerPool,
  by: QuotaSubject,
  original: StoredMessage,
  mime: Uint8Array,
  note: string,
) => Promise<Content>;

/** The original quoted under the note. */
export const forwardedInline: Forward = async (workers, by, original, mime, note) => {
  const { from, to, cc, subject, createdAt: date } = original;
  const task = { kind: 'forward', mime, original: { from, to, cc, subject, date }, note } as const;
  return { ...(await workers.run(task, by)), attachments: [] };
};

/** The unaltered original as message/rfc822. */
export const forwardedWhole: Forward = async (workers, by, original, mime, note) => {
  const content = Buffer.from(await workers.run({ kind: 'raw', mime }, by));
  const filename = `${
    original.subject
      .replace(/[^\p{L}\p{M}\p{N} _.-]+/gu, '')
      .trim()
      .slice(0, 80) || 'message'
  }.eml`;
  return { body: note, attachments: [{ filename, contentType: 'message/rfc822', content }] };
};

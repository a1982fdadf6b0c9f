/** The size of a task's mail, address book or document, which decides on the group of threads that runs it. */

import { contentSizeOf } from './frame-size.ts';
import type { Task } from './tasks.ts';

/** In octets; infinite for a compressed message without the size in its frame header. */
export const octetsOf = (task: Task): number => {
  switch (task.kind) {
    case 'verify':
    case 'verify-header':
    case 'import':
    case 'prepare-raw':
      return task.raw.length;
    case 'read-csv':
    case 'read-vcards':
    case 'read-document':
    case 'read-sitemap':
    case 'read-robots':
    case 'attachment-text':
    case 'attachment-preview':
      return task.octets.length;
    case 'read-text':
      return task.text.length;
    case 'compose':
      return task.draft.attachments.reduce((sum, { content }) => sum + content.length, task.draft.body.length);
    default:
      return contentSizeOf(task.mime) ?? Number.POSITIVE_INFINITY;
  }
};

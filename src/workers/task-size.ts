/** How much mail a task is about. */

import { contentSizeOf } from './frame-size.ts';
import type { Task } from './tasks.ts';

/** In octets; a compressed message that does not say its size counts as endless. */
export const octetsOf = (task: Task): number => {
  if ('raw' in task) return task.raw.length;
  if ('mime' in task) return contentSizeOf(task.mime) ?? Number.POSITIVE_INFINITY;
  return task.draft.attachments.reduce((sum, { content }) => sum + content.length, task.draft.body.length);
};

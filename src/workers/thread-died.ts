/**
 * A thread was terminated with tasks in flight, by its heap limit or a time limit; any of the tasks may be the cause.
 */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

/** A thread ended under its tasks, by its heap or its time: any of them may have broken it. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

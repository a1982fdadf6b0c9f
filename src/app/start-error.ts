/** Why the daemon does not start, in words for who started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

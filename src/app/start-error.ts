/** A start that fails for a reason that the operator can mend; its message is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

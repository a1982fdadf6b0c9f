/** The service gave no answer at all. */
export const NO_ANSWER = 'Postroom did not answer. It may be starting again, or the network is down.';

/** Why a call came to nothing, as the service gave it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, hint: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(hint);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.fields = fields;
  }

  /** Nothing answered, or only a proxy did: the instance may just start anew. */
  get isAway(): boolean {
    return this.code === 'no_answer' || (this.status >= 502 && this.status <= 504);
  }

  /** Nothing that is about what was asked for: asked again later, it may be answered. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500 || this.code === 'not_signed_in';
  }
}

export const toFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure(0, 'console_fault', `The console failed: ${String(error)}`);

/** The service gave no answer. */
export const NO_ANSWER = 'Postroom did not answer. It may be starting again, or the network is down.';

/** The failure of a call, as the service reported it. */
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

  /** Nothing answered, or only a proxy did, as while the instance starts anew; or too much was asked for at once. */
  get isAway(): boolean {
    return this.code === 'no_answer' || this.status === 429 || (this.status >= 502 && this.status <= 504);
  }

  /** Whether a later repetition may succeed, because the failure does not concern the request. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500 || this.code === 'not_signed_in';
  }
}

export const toFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure(0, 'console_fault', `The console failed: ${String(error)}`);

/** The error of a refused call. A refused send is no error: its result says `rejected`. */

export class PostroomError extends Error {
  override readonly name = 'PostroomError';
  /** HTTP. */
  readonly status: number;
  /** The interface's code, section 7; `invalid_response` where another server answered. */
  readonly code: string;
  /** The remedy. */
  readonly hint: string;
  /** All further fields of the reply, such as `scope`, or `included` and `used`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry; null where the reply names none. */
  readonly retryAfter: number | null;
  /** The request's id in the service's log. */
  readonly requestId: string | null;

  constructor(response: Response, body: Record<string, unknown>) {
    const { error, hint, ...fields } = body;
    super(`${error}: ${hint}`);
    this.status = response.status;
    this.code = String(error);
    this.hint = String(hint);
    this.fields = fields;
    const seconds = response.headers.get('retry-after');
    this.retryAfter = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : null;
    this.requestId = response.headers.get('x-request-id');
  }
}

/** The answer of a proxy, or of another server at the address. */
export const invalidResponse = (response: Response, text: string): PostroomError =>
  new PostroomError(response, {
    error: 'invalid_response',
    hint: `The answer (HTTP ${response.status}) is none of Postroom: ${text.slice(0, 200)}`,
  });

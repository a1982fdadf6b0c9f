/** Annotations of an operation as a tool. All may be left out: they say what its schemas cannot. */

/** The annotations of the protocol, which a client shows a person before a call. */
export interface ToolHints {
  /** It changes nothing but a read mark. */
  readOnly: boolean;
  /** It may take something away or overwrite it. */
  destructive: boolean;
  /** Said twice, it does no more than once. */
  idempotent: boolean;
  /** It reaches others than this service. */
  openWorld: boolean;
}

export interface Annotations {
  /** When to use it, after "Use". */
  when?: string;
  /** What comes back, after "Returns"; left out, the names of the output's fields. */
  returns?: string;
  /** Defaults where tokens count. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Arguments that go by another name than their field. Ids are named for their thing without being listed here. */
  rename?: Readonly<Record<string, string>>;
  /** Where they differ from what the method says. */
  hints?: Partial<ToolHints>;
  /** Arguments that the tool has not, because another tool is for them. */
  without?: readonly string[];
  /** Why it is no tool; nothing else is said then. */
  none?: string;
}

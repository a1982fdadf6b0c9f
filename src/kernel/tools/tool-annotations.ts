/** Annotations of an operation's MCP tool, all optional: they add what its schemas cannot express. */

/** The annotations of MCP, which a client displays before a call. */
export interface ToolHints {
  /** The call changes nothing but a read mark. */
  readOnly: boolean;
  /** The call may delete or overwrite data. */
  destructive: boolean;
  /** Repeating the call has no further effect. */
  idempotent: boolean;
  /** The call affects systems outside of this instance. */
  openWorld: boolean;
}

export interface Annotations {
  /** When to use the tool, after "Use". */
  when?: string;
  /** The result, after "Returns"; left out, the names of the output's fields. */
  returns?: string;
  /** Defaults that reduce tokens. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Arguments with another name than their field. Ids are named after their resource without an entry here. */
  rename?: Readonly<Record<string, string>>;
  /** Deviations from the hints that the method implies. */
  hints?: Partial<ToolHints>;
  /** Fields that are no arguments of this tool, because another tool serves them. */
  without?: readonly string[];
  /** Takes `detail`, without which its answers leave fields out (tool-fields.ts). */
  detail?: true;
  /** Why the operation is not a tool; the other members are then left out. */
  none?: string;
}

/** The result of parsing a bounce or complaint about a sent mail. */

export type ReportedAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/** The report about one recipient. */
export interface ReportedRecipient {
  /** The reported final and original recipient, the final one first, in lower case; not necessarily addresses. */
  addresses: string[];
  action: ReportedAction;
  /** Reply code (RFC 5321). */
  code: number | null;
  /** Enhanced code (RFC 3463). */
  enhancedCode: string | null;
  /** The remote's reply, or a description of the failure; '' without either. One line. */
  diagnostic: string;
}

export type MailReport =
  | { kind: 'delivery'; recipients: ReportedRecipient[] }
  /** `feedbackType` in lower case; `abuse` where the report omits it. */
  | { kind: 'feedback'; feedbackType: string };

/** What a mail to a return path says of the mail that was sent. */

export type ReportedAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/** What is reported of one recipient. */
export interface ReportedRecipient {
  /** The final and the original recipient as they are told, the final one first, in lower case; they need not be addresses. */
  addresses: string[];
  action: ReportedAction;
  /** RFC 5321. */
  code: number | null;
  /** RFC 3463. */
  enhancedCode: string | null;
  /** What the other host said, or what is said of it; '' where nothing is. One line. */
  diagnostic: string;
}

export type MailReport =
  | { kind: 'delivery'; recipients: ReportedRecipient[] }
  /** `feedbackType` in lower case, `abuse` where the report does not say. */
  | { kind: 'feedback'; feedbackType: string };

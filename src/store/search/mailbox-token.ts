import type { MailboxId } from '../../kernel/ids.ts';

/** The one token that stands for a mailbox in the full-text index, so that a search ranks no other mailbox's rows. */
export const mailboxToken = (mailboxId: MailboxId): string => `mb${mailboxId.replaceAll('-', '')}`;

/** Finds messages of a mailbox that may be copies of a mail. */

import { sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { toText } from '../values.ts';

export interface PossibleCopy {
  seq: number;
  rawId: number;
}

export interface CopyOf {
  rfcMessageId: string | null;
  from: Address;
  subject: string;
  at: Millis;
}

/** Without a Message-ID a copy is searched within this time: imports of one file derive one time. */
const NEAR_MS = HOUR;
/** Rows that are looked at; each is compared by its bytes. */
export const MOST_POSSIBLE_COPIES = 2_000;

/**
 * By Message-ID; those without one by author, subject and time. The newest ones, where there are many.
 * @param after only rows behind this `seq`
 */
export const listPossibleCopies = async (
  db: Db,
  mailboxId: MailboxId,
  { rfcMessageId, from, subject, at }: CopyOf,
  after: number,
): Promise<PossibleCopy[]> => {
  const query = db
    .selectFrom('messages')
    .select(['seq', 'raw_id'])
    .where('mailbox_id', '=', idToBytes(mailboxId))
    .where('seq', '>', after)
    .limit(MOST_POSSIBLE_COPIES);
  const chosen =
    rfcMessageId !== null
      ? query.where('rfc_message_id', '=', toText(rfcMessageId)).orderBy('seq', 'desc')
      : query
          // An expression, so that SQLite does not use the index of Message-IDs, which would read every row without
          // one.
          .where(sql`coalesce(rfc_message_id, '')`, '=', '')
          .where('created_at', '>=', at - NEAR_MS)
          .where('created_at', '<=', at + NEAR_MS)
          .where('from_address', '=', from)
          .where('subject', '=', toText(subject))
          .orderBy('created_at', 'desc');
  return (await chosen.execute()).map(({ seq, raw_id: rawId }) => ({ seq, rawId }));
};

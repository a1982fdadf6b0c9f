/** Lists the mailboxes with due rows in the outbound queue. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { idFromBytes, idToBytes, type MailboxId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';

/** Mailboxes read for one list: two index seeks each, so a few milliseconds in all. */
const MAX_LOOKED_AT = 1_000;

/**
 * The next mailboxes after this one with due rows. Null: from the first one on.
 * @returns `last`: the last mailbox read; null where none follows
 */
export const listDueMailboxes = async (
  db: Db,
  after: MailboxId | null,
  now: Millis,
  limit: number,
): Promise<{ mailboxes: MailboxId[]; last: MailboxId | null }> => {
  const { rows } = await sql<{ mailbox_id: Uint8Array; due: number }>`
    with recursive
      queued (mailbox_id, number) as (
        select (
          select mailbox_id from deliveries
          where due_at is not null and mailbox_id > ${after === null ? Buffer.alloc(0) : idToBytes(after)}
          order by mailbox_id limit 1
        ), 1
        union all
        select (
          select each.mailbox_id from deliveries as each
          where each.due_at is not null and each.mailbox_id > queued.mailbox_id
          order by each.mailbox_id limit 1
        ), number + 1
        from queued where queued.mailbox_id is not null and number < ${sql.lit(MAX_LOOKED_AT)}
      ),
      looked_at as (
        select mailbox_id, case when exists (
          select 1 from deliveries as each where each.mailbox_id = queued.mailbox_id and each.due_at <= ${now}
        ) then 1 else 0 end as due
        from queued where mailbox_id is not null
      )
    select mailbox_id, due from looked_at`.execute(db);
  const mailboxes: MailboxId[] = [];
  for (const { mailbox_id, due } of rows) {
    const id = idFromBytes<'mailbox'>(mailbox_id);
    if (Number(due) === 1) mailboxes.push(id);
    if (mailboxes.length === limit) return { mailboxes, last: id };
  }
  const last = rows.length === MAX_LOOKED_AT ? rows.at(-1) : undefined;
  return { mailboxes, last: last ? idFromBytes<'mailbox'>(last.mailbox_id) : null };
};

/** Counts of a mailbox's mail, each a bounded walk of one index. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MailboxId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';

const unread = preparedSelect((db, { mailboxId, most }: { mailboxId: Uint8Array; most: number }) =>
  db
    .selectFrom((inner) =>
      inner
        .selectFrom('messages')
        .select('seq')
        .where('mailbox_id', '=', mailboxId)
        // A literal: the partial index is used only where the query's text implies its condition.
        .where('unread', '=', sql.lit(1))
        .limit(most)
        .as('some'),
    )
    .select((eb) => eb.fn.countAll<number | string>().as('count')),
);

const since = preparedSelect(
  (db, bound: { mailboxId: Uint8Array; direction: 'in' | 'out'; since: number; most: number }) =>
    db
      .selectFrom((inner) =>
        inner
          .selectFrom('messages')
          .select('seq')
          .where('mailbox_id', '=', bound.mailboxId)
          .where('direction', '=', bound.direction)
          .where('created_at', '>=', bound.since)
          .limit(bound.most)
          .as('some'),
      )
      .select((eb) => eb.fn.countAll<number | string>().as('count')),
);

/** Unread mail, up to `most`. */
export const countUnread = async (db: Db, mailboxId: MailboxId, most: number): Promise<number> =>
  Number((await unread(db, { mailboxId: toBlob(mailboxId), most }))[0]?.count ?? 0);

/** Mail of a direction that was stored at a time or after it, up to `most`. */
export const countMailSince = async (
  db: Db,
  mailboxId: MailboxId,
  direction: 'in' | 'out',
  at: Millis,
  most: number,
): Promise<number> =>
  Number((await since(db, { mailboxId: toBlob(mailboxId), direction, since: at, most }))[0]?.count ?? 0);

/** When one of the agent's keys was last used; null: never. */
export const findLastKeyUse = async (db: Db, agentId: AgentId): Promise<Millis | null> => {
  const row = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.max('last_used_at').as('at'))
    .where('agent_id', '=', toBlob(agentId))
    .executeTakeFirst();
  return row?.at ?? null;
};

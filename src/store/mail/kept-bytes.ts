/** How many bytes of mail a workspace keeps, as they are stored: what a night measured, and what came since. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId, type WorkspaceId } from '../../kernel/ids.ts';
import { workspaces } from '../accounts/accounts-mappings.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { below, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';

/** Of the row of a message, its thread and its event: a flood of small mails fills the disk with these. */
const ROW_BYTES = 2_000;

/** @param mime compressed */
export const toKeptBytes = (mime: Uint8Array): number => mime.length + ROW_BYTES;

const bytesSince = preparedSelect((db, value: { scope: Buffer; day: Millis }) =>
  db
    .selectFrom('mail_days')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('scope', '=', value.scope)
    .where('day', '>=', value.day),
);

export const findKeptBytes = async (
  db: Db,
  workspaceId: WorkspaceId,
  { mailBytes, mailBytesDay }: Pick<Workspace, 'mailBytes' | 'mailBytesDay'>,
): Promise<number> => {
  const [since] = await bytesSince(db, { scope: idToBytes(workspaceId), day: mailBytesDay });
  return mailBytes + Number(since?.bytes ?? 0);
};

/** Sums some mail of a mailbox as {@link toKeptBytes} does, in the order of time. @returns `last`: the time of the last that was counted; null: none */
export const sumMailBytes = async (
  db: Db,
  mailboxId: MailboxId,
  { after, before, limit }: { after: Millis; before: Millis; limit: number },
): Promise<{ bytes: number; last: Millis | null }> => {
  const row = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select(['created_at', 'raw_id'])
        .where('mailbox_id', '=', idToBytes(mailboxId))
        .where('created_at', '>', after)
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit)
        .as('some'),
    )
    .leftJoin('raw_messages', 'raw_messages.id', 'some.raw_id')
    // The length of a blob stands before it: its bytes are not read.
    .select(({ fn }) => [
      fn.sum<number | null>(fn<number>('length', ['raw_messages.mime'])).as('bytes'),
      fn.countAll<number>().as('count'),
      fn.max('some.created_at').as('last'),
    ])
    .executeTakeFirst();
  return { bytes: Number(row?.bytes ?? 0) + Number(row?.count ?? 0) * ROW_BYTES, last: row?.last ?? null };
};

/** @param day the start of the UTC day before which it is */
export const setMailBytes = (tx: Tx, id: WorkspaceId, mailBytes: number, day: Millis): Promise<void> =>
  updateRows(tx, workspaces, { id }, { mailBytes, mailBytesDay: day });

/** @returns false where its owners were told on that day already */
export const setFullTold = async (tx: Tx, id: WorkspaceId, day: Millis): Promise<boolean> =>
  (await updateAndCount(tx, workspaces, { id, fullToldDay: below(day) }, { fullToldDay: day })) > 0;

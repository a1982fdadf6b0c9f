/** What the velocity and duplicate tripwires remember of a mailbox. */

import { DAY, HOUR, MINUTE, type Millis } from '../kernel/clock.ts';
import type { MailboxId } from '../kernel/ids.ts';
import type { Db, Tx } from './store.ts';
import { toBlob } from './values.ts';

/** Cold sends are counted in both: the last hour by the minute, the week by the hour. */
const WIDTHS = [MINUTE, HOUR];
const KEPT_MS = 8 * DAY;

const countSince = async (db: Db, mailboxId: MailboxId, width: Millis, since: Millis): Promise<number> => {
  const row = await db
    .selectFrom('cold_sends')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('count'), eb.lit(0)).as('count'))
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('width', '=', width)
    .where('starts_at', '>', since)
    .executeTakeFirstOrThrow();
  return row.count;
};

export const coldSendsOfLastHour = (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  countSince(db, mailboxId, MINUTE, now - HOUR);

/** Cold sends an hour, over the last 7 days. */
export const meanColdSends = async (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  (await countSince(db, mailboxId, HOUR, now - 7 * DAY)) / (7 * 24);

export const addColdSend = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<void> => {
  for (const width of WIDTHS) {
    await tx.db
      .insertInto('cold_sends')
      .values({ mailbox_id: toBlob(mailboxId), width, starts_at: now - (now % width), count: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['mailbox_id', 'width', 'starts_at'])
          .doUpdateSet((eb) => ({ count: eb('cold_sends.count', '+', 1) })),
      )
      .execute();
  }
  await tx.db
    .deleteFrom('cold_sends')
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('width', '=', MINUTE)
    .where('starts_at', '<', now - 2 * HOUR)
    .execute();
};

export const findCooldown = async (db: Db, mailboxId: MailboxId): Promise<Millis> =>
  (await db.selectFrom('mailboxes').select('cooldown_until').where('id', '=', toBlob(mailboxId)).executeTakeFirst())
    ?.cooldown_until ?? 0;

export const startCooldown = async (tx: Tx, mailboxId: MailboxId, until: Millis): Promise<void> => {
  await tx.db.updateTable('mailboxes').set({ cooldown_until: until }).where('id', '=', toBlob(mailboxId)).execute();
};

/** Who got these words from the mailbox since then. */
export const recipientsOfBody = async (
  db: Db,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  since: Millis,
): Promise<string[]> => {
  const rows = await db
    .selectFrom('body_recipients')
    .select('address')
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('body_hash', '=', bodyHash)
    .where('sent_at', '>', since)
    .execute();
  return rows.map(({ address }) => address);
};

export const addBodyRecipients = async (
  tx: Tx,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  addresses: readonly string[],
  now: Millis,
): Promise<void> => {
  for (const address of addresses) {
    await tx.db
      .insertInto('body_recipients')
      .values({ mailbox_id: toBlob(mailboxId), body_hash: bodyHash, address, sent_at: now })
      .onConflict((conflict) => conflict.columns(['mailbox_id', 'body_hash', 'address']).doUpdateSet({ sent_at: now }))
      .execute();
  }
};

/** What no tripwire looks at any more. */
export const forgetOldTraces = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db
    .deleteFrom('body_recipients')
    .where('sent_at', '<', now - HOUR)
    .execute();
  await tx.db
    .deleteFrom('cold_sends')
    .where('starts_at', '<', now - KEPT_MS)
    .execute();
};

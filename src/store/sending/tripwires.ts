/** What the velocity and duplicate tripwires remember of a mailbox. */

import { sql } from 'kysely';
import { DAY, HOUR, MINUTE, type Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect, preparedUpdate } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';

/** Cold sends are counted in both: the last hour by the minute, the week by the hour. */
const WIDTHS = [MINUTE, HOUR];
const KEPT_MS = 8 * DAY;

const sumSince = preparedSelect((db, mailboxId: Uint8Array, width: number, since: number) =>
  db
    .selectFrom('cold_sends')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('count'), eb.lit(0)).as('count'))
    .where('mailbox_id', '=', mailboxId)
    .where('width', '=', width)
    .where('starts_at', '>', since),
);

const countSince = async (db: Db, mailboxId: MailboxId, width: Millis, since: Millis): Promise<number> => {
  const [row] = await sumSince(db, toBlob(mailboxId), width, since);
  return row?.count ?? 0;
};

export const coldSendsOfLastHour = (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  countSince(db, mailboxId, MINUTE, now - HOUR);

/** Cold sends an hour, over the last 7 days. */
export const meanColdSends = async (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  (await countSince(db, mailboxId, HOUR, now - 7 * DAY)) / (7 * 24);

const countOne = preparedInsert(
  'cold_sends',
  ['mailbox_id', 'width', 'starts_at', 'count'],
  'on conflict (mailbox_id, width, starts_at) do update set count = count + 1',
);
const forgetMinutes = preparedUpdate((db, mailboxId: Uint8Array, before: number) =>
  db
    .deleteFrom('cold_sends')
    .where('mailbox_id', '=', mailboxId)
    .where('width', '=', sql.lit(MINUTE))
    .where('starts_at', '<', before),
);

export const addColdSend = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<void> => {
  for (const width of WIDTHS) {
    await countOne(tx, { mailbox_id: toBlob(mailboxId), width, starts_at: now - (now % width), count: 1 });
  }
  await forgetMinutes(tx, toBlob(mailboxId), now - 2 * HOUR);
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

const addRecipient = preparedInsert(
  'body_recipients',
  ['mailbox_id', 'body_hash', 'address', 'sent_at'],
  'on conflict (mailbox_id, body_hash, address) do update set sent_at = excluded.sent_at',
);

export const addBodyRecipients = async (
  tx: Tx,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  addresses: readonly string[],
  now: Millis,
): Promise<void> => {
  for (const address of addresses) {
    await addRecipient(tx, { mailbox_id: toBlob(mailboxId), body_hash: bodyHash, address, sent_at: now });
  }
};

/** What no tripwire looks at any more. */
export const purgeTripwireRows = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db
    .deleteFrom('body_recipients')
    .where('sent_at', '<', now - HOUR)
    .execute();
  await tx.db
    .deleteFrom('cold_sends')
    .where('starts_at', '<', now - KEPT_MS)
    .execute();
};

/** Counts of a mailbox's sends, for the velocity and duplicate tripwires. */

import { sql } from 'kysely';
import { DAY, HOUR, MINUTE, type Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { mailboxes } from '../accounts/accounts-mappings.ts';
import type { StoredValue } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect, preparedUpdate } from '../prepared-statement.ts';
import { below, deleteRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { bodyRecipients, coldSends } from './sending-mappings.ts';

/** Cold sends are counted in both: the last hour by the minute, the week by the hour. */
const WIDTHS = [MINUTE, HOUR];
const KEPT_MS = 8 * DAY;

interface Since {
  [name: string]: StoredValue;
  mailboxId: Uint8Array;
  width: number;
  since: number;
}

const sumSince = preparedSelect((db, { mailboxId, width, since }: Since) =>
  db
    .selectFrom('cold_sends')
    .select((eb) => eb.fn.sum<number | string | null>('count').as('count'))
    .where('mailbox_id', '=', mailboxId)
    .where('width', '=', width)
    .where('starts_at', '>', since),
);

const countSince = async (db: Db, mailboxId: MailboxId, width: Millis, since: Millis): Promise<number> => {
  const [row] = await sumSince(db, { mailboxId: toBlob(mailboxId), width, since });
  return Number(row?.count ?? 0);
};

export const coldSendsOfLastHour = (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  countSince(db, mailboxId, MINUTE, now - HOUR);

/** Cold sends an hour, over the last 7 days. */
export const meanColdSends = async (db: Db, mailboxId: MailboxId, now: Millis): Promise<number> =>
  (await countSince(db, mailboxId, HOUR, now - 7 * DAY)) / (7 * 24);

const countOne = preparedInsert(coldSends, (conflict) =>
  conflict
    .columns(['mailbox_id', 'width', 'starts_at'])
    .doUpdateSet((eb) => ({ count: eb('cold_sends.count', '+', eb.ref('excluded.count')) })),
);
const purgeMinutes = preparedUpdate((db, { mailboxId, before }: { mailboxId: Uint8Array; before: number }) =>
  db
    .deleteFrom('cold_sends')
    .where('mailbox_id', '=', mailboxId)
    .where('width', '=', sql.lit(MINUTE))
    .where('starts_at', '<', before),
);

export const addColdSend = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<void> => {
  for (const width of WIDTHS) {
    await countOne(tx, { mailboxId, width, startsAt: now - (now % width), count: 1 });
  }
  await purgeMinutes(tx, { mailboxId: toBlob(mailboxId), before: now - 2 * HOUR });
};

const cooldownOf = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db.selectFrom('mailboxes').select('cooldown_until').where('id', '=', id),
);

export const findCooldown = async (db: Db, mailboxId: MailboxId): Promise<Millis> =>
  (await cooldownOf(db, { id: toBlob(mailboxId) }))[0]?.cooldown_until ?? 0;

export const startCooldown = async (tx: Tx, mailboxId: MailboxId, until: Millis): Promise<void> => {
  await updateRows(tx, mailboxes, { id: mailboxId }, { cooldownUntil: until });
};

interface OfBody {
  [name: string]: StoredValue;
  mailboxId: Uint8Array;
  bodyHash: Uint8Array;
  since: number;
}

const recipientsSince = preparedSelect((db, { mailboxId, bodyHash, since }: OfBody) =>
  db
    .selectFrom('body_recipients')
    .select('address')
    .where('mailbox_id', '=', mailboxId)
    .where('body_hash', '=', bodyHash)
    .where('sent_at', '>', since),
);

/** Recipients of the same body from the mailbox since then. */
export const recipientsOfBody = async (
  db: Db,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  since: Millis,
): Promise<string[]> => {
  const rows = await recipientsSince(db, { mailboxId: toBlob(mailboxId), bodyHash, since });
  return rows.map(({ address }) => address);
};

const addRecipient = preparedInsert(bodyRecipients, (conflict) =>
  conflict
    .columns(['mailbox_id', 'body_hash', 'address'])
    .doUpdateSet((eb) => ({ sent_at: eb.ref('excluded.sent_at') })),
);

export const addBodyRecipients = async (
  tx: Tx,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  addresses: readonly string[],
  now: Millis,
): Promise<void> => {
  for (const address of addresses) {
    await addRecipient(tx, { mailboxId, bodyHash, address, sentAt: now });
  }
};

/** Rows older than any tripwire's window. */
export const purgeTripwireRows = async (tx: Tx, now: Millis): Promise<void> => {
  await deleteRows(tx, bodyRecipients, { sentAt: below(now - HOUR) });
  await deleteRows(tx, coldSends, { startsAt: below(now - KEPT_MS) });
};

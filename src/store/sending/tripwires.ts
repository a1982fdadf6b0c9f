/** Counts of a mailbox's sends, for the velocity and duplicate tripwires. */

import { sql } from 'kysely';
import { DAY, HOUR, MINUTE, type Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId } from '../../kernel/ids.ts';
import { mailboxes } from '../accounts/accounts-mappings.ts';
import type { StoredValue } from '../mapping.ts';
import { preparedAdd, preparedPut } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { above, below, deleteRows, findValue, listValues, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { bodyRecipients, coldSends } from './sending-mappings.ts';

interface Window {
  [name: string]: StoredValue;
  mailboxId: Uint8Array;
  hourAgo: number;
  weekAgo: number;
}

const sums = preparedSelect((db, { mailboxId, hourAgo, weekAgo }: Window) =>
  db
    .selectFrom('cold_sends')
    .select((eb) => ['width', eb.fn.sum<number | string>('count').as('count')])
    .where('mailbox_id', '=', mailboxId)
    .where((eb) =>
      eb.or([
        eb.and([eb('width', '=', sql.lit(MINUTE)), eb('starts_at', '>', hourAgo)]),
        eb.and([eb('width', '=', sql.lit(HOUR)), eb('starts_at', '>', weekAgo)]),
      ]),
    )
    .groupBy('width'),
);

export interface ColdSends {
  lastHour: number;
  /** An hour, over the last 7 days. */
  mean: number;
}

export const countColdSends = async (db: Db, mailboxId: MailboxId, now: Millis): Promise<ColdSends> => {
  const rows = await sums(db, { mailboxId: idToBytes(mailboxId), hourAgo: now - HOUR, weekAgo: now - 7 * DAY });
  const sumOf = (width: Millis): number => Number(rows.find((row) => row.width === width)?.count ?? 0);
  return { lastHour: sumOf(MINUTE), mean: sumOf(HOUR) / (7 * 24) };
};

const add = preparedAdd(coldSends);

/** Counts it in both: the last hour by the minute, the week by the hour. */
export const addColdSend = async (tx: Tx, id: MailboxId, now: Millis): Promise<void> => {
  const widths = [MINUTE, HOUR];
  await add(tx, ...widths.map((width) => ({ mailboxId: id, width, startsAt: now - (now % width), count: 1 })));
  await deleteRows(tx, coldSends, { mailboxId: id, width: MINUTE, startsAt: below(now - 2 * HOUR) });
};

export const findCooldown = async (db: Db, mailboxId: MailboxId): Promise<Millis> =>
  (await findValue(db, mailboxes, 'cooldownUntil', { id: mailboxId })) ?? 0;

export const startCooldown = (tx: Tx, mailboxId: MailboxId, until: Millis): Promise<void> =>
  updateRows(tx, mailboxes, { id: mailboxId }, { cooldownUntil: until });

/** Recipients of the same body from the mailbox since then. */
export const recipientsOfBody = (
  db: Db,
  mailboxId: MailboxId,
  bodyHash: Uint8Array,
  since: Millis,
): Promise<string[]> => listValues(db, bodyRecipients, 'address', { mailboxId, bodyHash, sentAt: above(since) });

const addRecipient = preparedPut(bodyRecipients);

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

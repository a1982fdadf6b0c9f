/** Clients of dynamic registration. */

import type { Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { oauthClients } from './oauth-mappings.ts';

export type OauthClient = Entity<typeof oauthClients>;

const insert = preparedInsert(oauthClients);

export const insertOauthClient = async (tx: Tx, client: OauthClient): Promise<void> => {
  await insert(tx, client);
};

export const findOauthClient = async (db: Db, id: string): Promise<OauthClient | null> => {
  const row = await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? oauthClients.read(row) : null;
};

export const touchOauthClient = async (tx: Tx, id: string, now: Millis): Promise<void> => {
  await tx.db.updateTable('oauth_clients').set({ last_used_at: now }).where('id', '=', id).execute();
};

export const countOauthClients = async (db: Db): Promise<number> => {
  const { count } = await db
    .selectFrom('oauth_clients')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Deletes the client without a grant that was unused for longest. */
export const deleteIdlestOauthClient = async (tx: Tx): Promise<void> => {
  const idlest = await tx.db
    .selectFrom('oauth_clients')
    .select('id')
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom('oauth_grants').select('client_id').whereRef('client_id', '=', 'oauth_clients.id')),
      ),
    )
    .orderBy('last_used_at')
    .limit(1)
    .executeTakeFirst();
  if (idlest) await tx.db.deleteFrom('oauth_clients').where('id', '=', idlest.id).execute();
};

export const purgeOauthClients = async (tx: Tx, unusedSince: Millis): Promise<void> => {
  await tx.db.deleteFrom('oauth_clients').where('last_used_at', '<=', unusedSince).execute();
};

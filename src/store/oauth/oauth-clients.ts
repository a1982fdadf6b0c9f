/** Clients of dynamic registration. */

import type { Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { countRows, deleteRows, findRow, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { oauthClients } from './oauth-mappings.ts';

export type OauthClient = Entity<typeof oauthClients>;

export const insertOauthClient = preparedInsert(oauthClients);

export const findOauthClient = (db: Db, id: string): Promise<OauthClient | null> => findRow(db, oauthClients, { id });

export const touchOauthClient = (tx: Tx, id: string, now: Millis): Promise<void> =>
  updateRows(tx, oauthClients, { id }, { lastUsedAt: now });

export const countOauthClients = (db: Db): Promise<number> => countRows(db, oauthClients, {});

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
  if (idlest) await deleteRows(tx, oauthClients, { id: idlest.id });
};

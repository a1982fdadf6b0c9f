/** Links that sign a person in, once. Only the hash of a link's secret is stored. */

import { sql } from 'kysely';
import { type Address, type DomainName, domainOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, countRows, findRow, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { signInLinks } from './owners-mappings.ts';

export type SignInLink = Entity<typeof signInLinks>;

export const insertSignInLink = preparedInsert(signInLinks);

/** Used and expired ones too. */
export const findSignInLink = (db: Db, hash: Uint8Array): Promise<SignInLink | null> =>
  findRow(db, signInLinks, { hash });

/** @returns false where it was used before */
export const useSignInLink = async (tx: Tx, hash: Uint8Array, now: Millis): Promise<boolean> =>
  (await updateAndCount(tx, signInLinks, { hash, usedAt: null }, { usedAt: now })) > 0;

/** Links of a kind that were made for an address since then. */
export const countSignInLinks = (db: Db, email: Address, kind: SignInLink['kind'], since: Millis): Promise<number> =>
  countRows(db, signInLinks, { email, kind, createdAt: above(since) });

/** Marks the unused links of an address as used, of claims too: each begins a session. */
export const voidSignInLinks = (tx: Tx, email: Address, now: Millis): Promise<void> =>
  updateRows(tx, signInLinks, { email, usedAt: null }, { usedAt: now });

/**
 * Marks unused mailed links of a domain's addresses as used. It runs in the transaction from which the instance receives
 * there, because an agent's mailbox might get a mail that is still on its way.
 */
export const voidLinksAtDomain = async (tx: Tx, name: DomainName, now: Millis): Promise<void> => {
  const rows = await tx.db
    .selectFrom('sign_in_links')
    .select(['hash', 'email'])
    .where((eb) => eb(eb.ref('email').$castTo<string>(), 'like', `%@${name}`))
    .where('kind', '!=', sql.lit('printed'))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .execute();
  // An underscore in a name matches any character.
  for (const { hash, email } of rows) if (domainOf(email) === name) await useSignInLink(tx, hash, now);
};

/** MTA-STS policies as they were fetched, kept for as long as they hold. */

import type { Millis } from '../../kernel/clock.ts';
import type { Db, Tx } from '../store.ts';

export interface KeptStsPolicy {
  domain: string;
  /** Of the record that it was fetched for. */
  policyId: string;
  /** As it was sent. */
  policy: string;
  fetchedAt: Millis;
  expiresAt: Millis;
}

export const findStsPolicy = async (db: Db, domain: string): Promise<KeptStsPolicy | null> => {
  const row = await db.selectFrom('mta_sts_policies').selectAll().where('domain', '=', domain).executeTakeFirst();
  if (!row) return null;
  const { policy, policy_id: policyId, fetched_at: fetchedAt, expires_at: expiresAt } = row;
  return { domain, policy, policyId, fetchedAt, expiresAt };
};

/** In the place of the one before it. */
export const putStsPolicy = async (tx: Tx, kept: KeptStsPolicy): Promise<void> => {
  const values = {
    domain: kept.domain,
    policy_id: kept.policyId,
    policy: kept.policy,
    fetched_at: kept.fetchedAt,
    expires_at: kept.expiresAt,
  };
  await tx.db
    .insertInto('mta_sts_policies')
    .values(values)
    .onConflict((conflict) => conflict.column('domain').doUpdateSet(values))
    .execute();
};

export const purgeStsPolicies = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db.deleteFrom('mta_sts_policies').where('expires_at', '<=', now).execute();
};

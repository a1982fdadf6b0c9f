/** The daemon's last findings about its certificates, and the operator's request: settings that both processes read. */

import { z } from 'zod';
import type { Millis } from '../../kernel/clock.ts';
import type { Asked, OrderOutcome } from '../../net/tls/acme/renewal.ts';
import { findSetting, putSetting } from '../../store/settings.ts';
import type { Db, Tx } from '../../store/store.ts';

const STATE = 'certificate-orders';
const REQUEST = 'certificate-request';

export interface RenewalRequest {
  at: Millis;
  asked: Asked;
  /** Null until the daemon has ordered. */
  outcomes: OrderOutcome[] | null;
}

const read = async <T>(db: Db, name: string, schema: z.ZodType<T>): Promise<T | null> => {
  const kept = await findSetting(db, name);
  return kept && schema.parse(JSON.parse(kept.toString()));
};

const write = (tx: Tx, name: string, value: unknown): Promise<void> =>
  putSetting(tx, name, Buffer.from(JSON.stringify(value)));

/** Only this module writes both. */
const outcomes = z.array(z.custom<OrderOutcome>());
const request = z.custom<RenewalRequest>();

/** The findings of the daemon's latest run; null before the first. */
export const findOrders = (db: Db): Promise<OrderOutcome[] | null> => read(db, STATE, outcomes);
export const putOrders = (tx: Tx, found: readonly OrderOutcome[]): Promise<void> => write(tx, STATE, found);

export const findRenewalRequest = (db: Db): Promise<RenewalRequest | null> => read(db, REQUEST, request);
export const putRenewalRequest = (tx: Tx, asked: RenewalRequest): Promise<void> => write(tx, REQUEST, asked);

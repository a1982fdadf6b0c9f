/**
 * Answers a repeated request with its first reply. The reply is stored in the transaction that does the work, so a
 * crash neither loses it nor repeats the work.
 */

import { createHash } from 'node:crypto';
import type { AgentCaller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { RecordAnswer } from '../kernel/handlers.ts';
import { isJsonObject } from '../kernel/json-object.ts';
import type { Operation } from '../kernel/operation.ts';
import {
  findIdempotencyRecord,
  IDEMPOTENCY_RETENTION_MS,
  insertIdempotencyRecord,
} from '../store/accounts/idempotency-keys.ts';
import type { Store, Tx } from '../store/store.ts';

/** 1 to 256 printable ASCII characters. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

export interface Answer {
  status: number;
  body: unknown;
  /** Whether it is an earlier reply, given again. */
  replayed: boolean;
}

export interface Idempotency {
  /**
   * @param key the header's value
   * @param work does the request's work, and stores its reply with the given function in its own transaction
   * @throws ApiError invalid_request for a malformed key, idempotency_key_reused, idempotency_in_flight
   */
  once(
    caller: AgentCaller,
    operation: Operation,
    key: string,
    input: unknown,
    work: (recordAnswer: RecordAnswer) => Promise<Omit<Answer, 'replayed'>>,
  ): Promise<Answer>;
}

/** Objects with their keys in one order: JSON does not tell one order from another (RFC 8259 section 4). */
const inOrder = (_key: string, value: unknown): unknown =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

const toFingerprint = ({ name }: Operation, input: unknown): Buffer =>
  createHash('sha256')
    .update(`${name}\0${JSON.stringify(input, inOrder)}`)
    .digest();

export const createIdempotency = (store: Store, clock: Clock): Idempotency => {
  /** In memory alone: what a crashed process had not committed was not done. */
  const inFlight = new Set<string>();
  return {
    once: async (caller, operation, given, input, work) => {
      if (!KEY.test(given)) {
        throw new ApiError('invalid_request', { hint: 'An Idempotency-Key is 1 to 256 printable ASCII characters.' });
      }
      // One grant acts for several agents, each with Idempotency-Keys of its own.
      const key = caller.byGrant ? `${caller.agentId} ${given}` : given;
      const fingerprint = toFingerprint(operation, input);
      const place = `${caller.keyId} ${key}`;
      if (inFlight.has(place)) throw new ApiError('idempotency_in_flight', { headers: { 'retry-after': '1' } });
      inFlight.add(place);
      try {
        const kept = await findIdempotencyRecord(store.read, caller.keyId, key, clock.now() - IDEMPOTENCY_RETENTION_MS);
        if (kept) {
          const body: unknown = JSON.parse(kept.body);
          // An agent that was ended writes its text anew: here it reads whether the first one went.
          if (!kept.fingerprint.equals(fingerprint)) {
            throw new ApiError('idempotency_key_reused', { fields: { first_reply: body } });
          }
          return { status: kept.status, body, replayed: true };
        }
        const answer = await work(async (tx, status, body) => {
          const createdAt = clock.now();
          const record = { fingerprint, status, body: JSON.stringify(body), createdAt };
          const since = createdAt - IDEMPOTENCY_RETENTION_MS;
          const isFirst = await insertIdempotencyRecord(tx as Tx, caller.keyId, key, record, since);
          // Another process has done the request: this one's work is rolled back.
          if (!isFirst) throw new ApiError('idempotency_in_flight', { headers: { 'retry-after': '1' } });
        });
        return { ...answer, replayed: false };
      } finally {
        inFlight.delete(place);
      }
    },
  };
};

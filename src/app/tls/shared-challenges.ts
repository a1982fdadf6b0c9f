/** Open challenges of ACME in a row that all boxes follow: the authority asks whichever it meets, and several of them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pollOtherProcesses } from '../../events/other-processes.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { CHALLENGE_TYPES, type ChallengeResponder, type ChallengeType } from '../../net/tls/acme/challenge.ts';
import { findSetting, putSetting } from '../../store/settings.ts';
import type { Store } from '../../store/store.ts';

const OPEN = 'open-challenges';
/** Every box has looked since: each does once a second. */
const SEEN_AFTER_MS = 2 * SECOND;

const openChallenge = z.object({
  type: z.enum(CHALLENGE_TYPES),
  name: z.string(),
  token: z.string(),
  keyAuthorization: z.string(),
});
type OpenChallenge = z.infer<typeof openChallenge>;

const keyOf = ({ type, name, token }: OpenChallenge): string => `${type} ${name} ${token}`;

export interface ShareNeeds {
  store: Store;
  onError: (error: unknown) => void;
  /** For tests. */
  seenAfterMs?: Millis;
}

/** @returns the same responders, which show on every box, and the part that follows the others */
export const shareChallenges = (
  own: ReadonlyMap<ChallengeType, ChallengeResponder>,
  { store, onError, seenAfterMs = SEEN_AFTER_MS }: ShareNeeds,
) => {
  let shown = new Map<string, OpenChallenge>();

  const read = async (db = store.read): Promise<OpenChallenge[]> => {
    const kept = await findSetting(db, OPEN);
    return kept ? z.array(openChallenge).parse(JSON.parse(kept.toString())) : [];
  };

  const follow = async (): Promise<void> => {
    const open = new Map((await read()).map((each) => [keyOf(each), each]));
    const before = shown;
    shown = open;
    for (const [key, each] of before) if (!open.has(key)) await own.get(each.type)?.withdraw(each);
    for (const [key, each] of open) if (!before.has(key)) await own.get(each.type)?.answer(each);
  };

  const change = async (to: (open: OpenChallenge[]) => OpenChallenge[]): Promise<void> => {
    await store.write(async (tx) => {
      await putSetting(tx, OPEN, Buffer.from(JSON.stringify(to(await read(tx.db)))));
      // Others hear of a transaction that has an effect.
      tx.afterCommit(() => {});
    });
    await follow();
  };

  const share = (type: ChallengeType): ChallengeResponder => ({
    answer: async (challenge) => {
      await change((open) => [...open, { ...challenge, type }]);
      await sleep(seenAfterMs);
    },
    withdraw: (challenge) => {
      const key = keyOf({ ...challenge, type });
      return change((open) => open.filter((each) => keyOf(each) !== key));
    },
  });

  return {
    responders: new Map([...own.keys()].map((type) => [type, share(type)])),
    others: pollOtherProcesses([follow], onError),
  };
};

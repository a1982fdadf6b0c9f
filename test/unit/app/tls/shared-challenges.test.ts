/** Challenges of ACME that one box orders, and each shows. */

import { join } from 'node:path';
import t from 'tap';
import { shareChallenges } from '../../../../src/app/tls/shared-challenges.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import type { Challenge, ChallengeType } from '../../../../src/net/tls/acme/challenge.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { testLocation } from '../../../harness/postgres/test-location.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const CHALLENGE: Challenge = { name: 'mx.box.test', token: 'token', keyAuthorization: 'token.thumbprint' };

t.test('each box shows what the one that leads has open, from whenever it looks, and then no more', async (t) => {
  const location = await testLocation(join(t.testdir(), 'postroom.db'));
  const openBox = async () => {
    const store = await openStore(location, { now: systemClock.now() });
    const shown: string[] = [];
    const own = new Map([
      [
        'http-01' as ChallengeType,
        {
          answer: ({ token }: Challenge) => void shown.push(token),
          withdraw: ({ token }: Challenge) => void shown.splice(shown.indexOf(token), 1),
        },
      ],
    ]);
    const { responders, others } = shareChallenges(own, {
      store,
      onError: (error) => t.fail(String(error)),
      seenAfterMs: 0,
    });
    await others.start();
    t.teardown(async () => {
      await others.stop();
      await store.close();
    });
    return { shown, responder: responders.get('http-01'), look: others.wake };
  };
  const [leading, other] = [await openBox(), await openBox()];
  await leading.responder?.answer(CHALLENGE);
  t.same(leading.shown, ['token']);
  other.look();
  await eventually(async () => other.shown.length === 1);
  const late = await openBox();
  t.same(late.shown, ['token'], 'one that starts meanwhile');

  await leading.responder?.withdraw(CHALLENGE);
  t.same(leading.shown, []);
  for (const box of [other, late]) {
    box.look();
    await eventually(async () => box.shown.length === 0);
  }
});

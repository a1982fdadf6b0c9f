import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openVapidKey } from '../../../../src/notices/push/vapid.ts';
import { openTestStore } from '../../../harness/small-store.ts';

t.test('a push service may write to the base domain, where that is in the public DNS', async (t) => {
  const { store } = await openTestStore(t, { now: 0 });
  const vaultKey = randomBytes(32);
  const subjectFor = async (baseDomain: string): Promise<string> => {
    const key = await openVapidKey(store, vaultKey, baseDomain);
    const [, claims = ''] = key.authorization(new URL('https://push.example/1'), 0).split('.');
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
  };
  t.equal(await subjectFor('agents.example.co.uk'), 'mailto:postmaster@agents.example.co.uk');
  // As `install.sh --local` has it: Apple refuses each push that names it.
  t.equal(await subjectFor('agents.localhost'), 'mailto:postmaster@example.com');
  t.equal(await subjectFor('agents.home.internal'), 'mailto:postmaster@example.com');
});

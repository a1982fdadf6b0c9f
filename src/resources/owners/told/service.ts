import { createRateLimit, requireAllowance } from '../../../access/rate-limit.ts';
import { type Address, isAddressOf } from '../../../kernel/address.ts';
import { HOUR, isoTimeOrNull } from '../../../kernel/clock.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { OwnerId } from '../../../kernel/ids.ts';
import { startOfDay } from '../../../kernel/utc-period.ts';
import { AUTH_BYTES, isPoint } from '../../../notices/push/encrypt.ts';
import { hashSecretToken } from '../../../seal/secret-token.ts';
import { findNoticeAddress } from '../../../store/owners/own-addresses.ts';
import { findOwnerSession } from '../../../store/owners/owner-sessions.ts';
import { listWorkspacesOf } from '../../../store/owners/owners.ts';
import {
  deletePushSubscription,
  findPushSubscription,
  type PushSubscription,
  putPushSubscription,
} from '../../../store/owners/push-subscriptions.ts';
import { findToldSettings, putToldSettings, type ToldSettings } from '../../../store/owners/told-settings.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { recordForWorkspaces } from '../record-for-workspaces.ts';
import type { ToldView, toldContract } from './contract.ts';
import { nextDigest } from './digest.ts';

type ToldNeeds = Needs<'store' | 'clock' | 'baseDomain' | 'push' | 'findAddresses'>;

const TESTS_PER_HOUR = 20;
const NOT_HERE = { hint: 'This browser is told nothing by push. Switch it on first.' };

/** The caller's session; one that has ended meanwhile has no hash in the store. */
const hashOf = (secret: string): Buffer => hashSecretToken(secret) ?? Buffer.alloc(0);

/**
 * A browser's push service is whatever its page says: https alone, and no private address. Each attempt checks it again.
 * @throws ApiError https_url_required, credentials_in_url, private_url_not_allowed
 */
const requireEndpoint = async (text: string, findAddresses: ToldNeeds['findAddresses']): Promise<string> => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') throw new ApiError('https_url_required');
  if (url.username !== '' || url.password !== '') throw new ApiError('credentials_in_url');
  if ((await findAddresses(url)).kind === 'private') throw new ApiError('private_url_not_allowed');
  return url.href;
};

const readKeys = (given: { p256dh: string; auth: string }): Pick<PushSubscription, 'publicKey' | 'auth'> => {
  const publicKey = Buffer.from(given.p256dh, 'base64url');
  const auth = Buffer.from(given.auth, 'base64url');
  if (!isPoint(publicKey)) throw new ApiError('invalid_request', { hint: '`p256dh` is a point of P-256 (RFC 8291).' });
  if (auth.length !== AUTH_BYTES) throw new ApiError('invalid_request', { hint: `\`auth\` has ${AUTH_BYTES} bytes.` });
  return { publicKey, auth };
};

export const createTold = (needs: ToldNeeds): Handlers<typeof toldContract> => {
  const { store, clock, baseDomain, push, findAddresses } = needs;
  const tests = createRateLimit(clock, TESTS_PER_HOUR, HOUR);

  /** Whether notices go to the person who has chosen nothing: to the notice address of a workspace they do. */
  const isUsual = async (db: Db, ownerId: OwnerId, email: Address): Promise<boolean> => {
    for (const workspace of await listWorkspacesOf(db, ownerId)) {
      const usual = await findNoticeAddress(db, workspace, baseDomain);
      if (usual !== null && isAddressOf(usual, email)) return true;
    }
    return false;
  };

  const view = async (db: Db, ownerId: OwnerId, email: Address, secret: string): Promise<ToldView> => {
    const settings = await findToldSettings(db, ownerId);
    const here = await findPushSubscription(db, hashOf(secret));
    const usual = await isUsual(db, ownerId, email);
    const { digest, digestHour, digestZone, digestDueAt } = settings;
    return {
      push: { public_key: push.publicKey, here: here && { held: here.tellsHeld, needs: here.tellsNeeds } },
      mail: { held: settings.mailsHeld ?? usual, needs: settings.mailsNeeds ?? usual },
      digest: { every: digest, hour: digestHour, zone: digestZone, next_at: isoTimeOrNull(digestDueAt) },
    };
  };

  return {
    get: ({ ownerId, email, secret }) => view(store.read, ownerId, email, secret),

    set: ({ ownerId, email, secret }, { push: here, mail, digest }, { record }) =>
      store.write(async (tx) => {
        const now = clock.now();
        if (here) {
          const subscription = requireFound(await findPushSubscription(tx.db, hashOf(secret)), 'not_found', NOT_HERE);
          const { tellsHeld, tellsNeeds } = subscription;
          const chosen = { tellsHeld: here.held ?? tellsHeld, tellsNeeds: here.needs ?? tellsNeeds };
          await putPushSubscription(tx, { ...subscription, ...chosen });
        }
        const before = await findToldSettings(tx.db, ownerId);
        let after: ToldSettings = {
          ...before,
          mailsHeld: mail?.held ?? before.mailsHeld,
          mailsNeeds: mail?.needs ?? before.mailsNeeds,
        };
        if (digest) {
          const { every, hour: digestHour, zone: digestZone } = digest;
          // Days before it was asked for are in no digest.
          const digestFrom = before.digest === 'off' ? startOfDay(now) : before.digestFrom;
          const chosen = { digest: every, digestHour, digestZone };
          after = { ...after, ...chosen, digestFrom, digestDueAt: nextDigest(chosen, now) };
        }
        if (mail || digest) await putToldSettings(tx, after);
        const detail = {
          ...(here?.held !== undefined && { push_held: here.held }),
          ...(here?.needs !== undefined && { push_needs: here.needs }),
          ...(mail?.held !== undefined && { mail_held: mail.held }),
          ...(mail?.needs !== undefined && { mail_needs: mail.needs }),
          ...(digest && { digest: digest.every }),
        };
        const answer = await view(tx.db, ownerId, email, secret);
        return recordForWorkspaces(record, tx, ownerId, { subject: email, detail }, answer);
      }),

    subscribe: async ({ ownerId, email, secret }, { endpoint: text, keys: given }, { record }) => {
      if (push.publicKey === null) throw new ApiError('vault_unavailable');
      const keys = readKeys(given);
      const endpoint = await requireEndpoint(text, findAddresses);
      return store.write(async (tx) => {
        const now = clock.now();
        const sessionHash = hashOf(secret);
        if (!(await findOwnerSession(tx.db, sessionHash, now))) throw new ApiError('not_signed_in');
        const before = await findPushSubscription(tx.db, sessionHash);
        const { tellsHeld, tellsNeeds } = before ?? { tellsHeld: true, tellsNeeds: true };
        await putPushSubscription(tx, {
          sessionHash,
          ownerId,
          endpoint,
          ...keys,
          tellsHeld,
          tellsNeeds,
          createdAt: now,
        });
        const act = { subject: email, detail: { host: new URL(endpoint).host } };
        return recordForWorkspaces(record, tx, ownerId, act, await view(tx.db, ownerId, email, secret));
      });
    },

    unsubscribe: ({ ownerId, email, secret }, _input, { record }) =>
      store.write(async (tx) => {
        if (!(await deletePushSubscription(tx, hashOf(secret)))) throw new ApiError('not_found', NOT_HERE);
        const answer = await view(tx.db, ownerId, email, secret);
        return recordForWorkspaces(record, tx, ownerId, { subject: email }, answer);
      }),

    test: async ({ ownerId, secret }) => {
      if (push.publicKey === null) throw new ApiError('vault_unavailable');
      const subscription = requireFound(await findPushSubscription(store.read, hashOf(secret)), 'not_found', NOT_HERE);
      requireAllowance(tests, ownerId, clock, `At most ${TESTS_PER_HOUR} tests are sent in an hour.`);
      const outcome = await push.test(subscription, {
        title: 'Postroom tells this browser',
        body: 'Mail that waits for your decision, and what needs you, comes like this.',
        tag: 'test',
        url: '/console/you',
      });
      if (outcome.kind === 'sent') return { delivered: true, reason: null };
      const ended = 'The push service has ended the subscription of this browser. Switch push on again';
      return { delivered: false, reason: outcome.kind === 'gone' ? ended : outcome.reason };
    },
  };
};
